// seesayoverlay on a harness: passing, blending, attaching, caps, shared memory.
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "elements/meta/seesay_meta.hpp"
#include "elements/overlay/overlay_bench.hpp"
#include "elements/overlay/seesayoverlay.hpp"
#include "models/error.hpp"
#include "tests/elements/overlay_fixtures.hpp"
#include "tests/elements/publish_fixtures.hpp"

namespace seesay::overlay::testing {
namespace {

using UpdatePointer = std::shared_ptr<const elements::CaptionUpdate>;

struct BufferDeleter {
    void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
};
using BufferPointer = std::unique_ptr<GstBuffer, BufferDeleter>;

std::string caps_of(const char* format, int width, int height, const char* more = "") {
    return std::string("video/x-raw,format=") + format + ",width=" + std::to_string(width) +
           ",height=" + std::to_string(height) + ",framerate=25/1" + more;
}

std::string bytes_of(GstBuffer* buffer) {
    std::string bytes(gst_buffer_get_size(buffer), '\0');
    gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
    return bytes;
}

UpdatePointer attended_update(const std::string& text, int rows = 3, int columns = 5) {
    const auto caption = make_caption(text);
    std::vector<int> attended;
    for (std::size_t i = 0; i < caption->tokens.size(); ++i)
        attended.push_back(static_cast<int>(i) % (rows * columns));
    set_one_hot_attention(*caption, rows, columns, attended);
    return make_update(caption);
}

class OverlayElement : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        gst_init(nullptr, nullptr);
        elements::register_overlay(nullptr);
    }
    void SetUp() override { harness_ = gst_harness_new("seesayoverlay"); }
    void TearDown() override { gst_harness_teardown(harness_); }

    void set_caps(const std::string& caps) {
        gst_harness_set_src_caps_str(harness_, caps.c_str());
        GstCaps* parsed = gst_caps_from_string(caps.c_str());
        gst_video_info_from_caps(&info_, parsed);
        gst_caps_unref(parsed);
    }

    BufferPointer new_frame(const UpdatePointer& update = nullptr, GstClockTime pts = 0) const {
        GstBuffer* buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info_), nullptr);
        gst_buffer_memset(buffer, 0, 120, GST_VIDEO_INFO_SIZE(&info_));
        GST_BUFFER_PTS(buffer) = pts;
        GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
        if (update) elements::set_caption(buffer, update);
        return BufferPointer(buffer);
    }

    BufferPointer push(BufferPointer frame) {
        EXPECT_EQ(gst_harness_push(harness_, frame.release()), GST_FLOW_OK);
        return BufferPointer(gst_harness_pull(harness_));
    }

    void set(const char* property, const char* value) {
        gst_util_set_object_arg(G_OBJECT(harness_->element), property, value);
    }

    GstHarness* harness_ = nullptr;
    GstVideoInfo info_{};
};

TEST_F(OverlayElement, PassesFramesWithoutCaptionUntouched) {
    set_caps(caps_of("I420", 320, 240));
    BufferPointer frame = new_frame();
    GstBuffer* const same = frame.get();
    // Somebody else holds it, too: a copy would be a new buffer.
    const BufferPointer other(gst_buffer_ref(same));
    const BufferPointer out = push(std::move(frame));
    EXPECT_EQ(out.get(), same);
    EXPECT_EQ(bytes_of(out.get()), std::string(320 * 240 * 3 / 2, 120));
}

TEST_F(OverlayElement, PassesFramesWhenNothingIsToBeDrawn) {
    set("show-text", "false");
    set("attention", "none");
    set_caps(caps_of("NV12", 320, 240));
    BufferPointer frame = new_frame(attended_update("a dog"));
    GstBuffer* const same = frame.get();
    const BufferPointer other(gst_buffer_ref(same));
    EXPECT_EQ(push(std::move(frame)).get(), same);
}

TEST_F(OverlayElement, DrawsOnEveryFormat) {
    for (const vision::PixelFormat format : all_formats()) {
        const std::string name = name_of(format);
        set_caps(caps_of(name.c_str(), 321, 241));
        const BufferPointer plain = new_frame();
        const BufferPointer out = push(new_frame(attended_update("a dog runs")));
        EXPECT_NE(bytes_of(out.get()), bytes_of(plain.get())) << name;
        EXPECT_EQ(elements::get_caption(out.get())->caption->text, "a dog runs");
    }
}

TEST_F(OverlayElement, CopiesMemoryThatOthersShare) {
    set_caps(caps_of("I420", 320, 240));
    BufferPointer frame = new_frame(attended_update("a dog runs"));
    const BufferPointer other(gst_buffer_ref(frame.get()));
    const BufferPointer out = push(std::move(frame));
    const std::string untouched(320 * 240 * 3 / 2, 120);
    EXPECT_EQ(bytes_of(other.get()), untouched);
    EXPECT_NE(bytes_of(out.get()), untouched);

    // As after a tee: another buffer with the same memory.
    BufferPointer second = new_frame(attended_update("a dog runs"));
    const BufferPointer shallow(gst_buffer_copy(second.get()));
    const BufferPointer drawn = push(std::move(second));
    EXPECT_EQ(bytes_of(shallow.get()), untouched);
    EXPECT_NE(bytes_of(drawn.get()), untouched);
}

TEST_F(OverlayElement, DrawsInPlaceWhereItMay) {
    set_caps(caps_of("I420", 320, 240));
    BufferPointer frame = new_frame(attended_update("a dog runs"));
    GstMemory* const memory = gst_buffer_peek_memory(frame.get(), 0);
    const BufferPointer out = push(std::move(frame));
    EXPECT_EQ(gst_buffer_peek_memory(out.get(), 0), memory);
}

TEST_F(OverlayElement, HonoursTheStridesOfTheBuffer) {
    set_caps(caps_of("GRAY8", 100, 60));
    BufferPointer frame = new_frame(attended_update("a dog"));
    const std::string packed = bytes_of(push(std::move(frame)).get());

    GstBuffer* wide = gst_buffer_new_allocate(nullptr, 60 * 128, nullptr);
    gst_buffer_memset(wide, 0, 120, 60 * 128);
    gsize offset[4] = {0, 0, 0, 0};
    gint stride[4] = {128, 0, 0, 0};
    gst_buffer_add_video_meta_full(wide, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 100, 60,
                                   1, offset, stride);
    GST_BUFFER_PTS(wide) = 0;
    elements::set_caption(wide, attended_update("a dog"));
    const std::string strided = bytes_of(push(BufferPointer(wide)).get());
    for (int y = 0; y < 60; ++y) {
        ASSERT_EQ(strided.substr(static_cast<std::size_t>(y) * 128, 100),
                  packed.substr(static_cast<std::size_t>(y) * 100, 100));
        ASSERT_EQ(strided.substr(static_cast<std::size_t>(y) * 128 + 100, 28),
                  std::string(28, 120));
    }
}

TEST_F(OverlayElement, LaysOutAgainWhenTheCapsChange) {
    const UpdatePointer update = attended_update("a dog runs through the snow");
    for (const auto& [format, width, height] :
         {std::tuple{"I420", 640, 360}, std::tuple{"I420", 321, 181}, std::tuple{"RGBA", 321, 181},
          std::tuple{"I420", 640, 360}}) {
        set_caps(caps_of(format, width, height));
        const std::string here = bytes_of(push(new_frame(update)).get());
        GstHarness* fresh = gst_harness_new("seesayoverlay");
        gst_harness_set_src_caps_str(fresh, caps_of(format, width, height).c_str());
        gst_harness_push(fresh, new_frame(update).release());
        const BufferPointer expected(gst_harness_pull(fresh));
        EXPECT_EQ(here, bytes_of(expected.get()));
        gst_harness_teardown(fresh);
    }
}

TEST_F(OverlayElement, AdvancesWordsWithTheTime) {
    set("show-text", "false");
    set_caps(caps_of("GRAY8", 100, 60));
    const UpdatePointer update = attended_update("a dog", 1, 2);
    const auto brightest_half = [](const std::string& bytes) {
        const auto at = std::max_element(bytes.begin(), bytes.end(), [](char a, char b) {
            return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
        });
        return (at - bytes.begin()) % 100 < 50 ? "left" : "right";
    };
    EXPECT_STREQ(brightest_half(bytes_of(push(new_frame(update, 0)).get())), "left");
    EXPECT_STREQ(brightest_half(bytes_of(push(new_frame(update, 480 * GST_MSECOND)).get())),
                 "left");
    EXPECT_STREQ(brightest_half(bytes_of(push(new_frame(update, 520 * GST_MSECOND)).get())),
                 "right");
}

TEST_F(OverlayElement, ChangesItsLookWhileRunning) {
    set_caps(caps_of("I420", 320, 240));
    const UpdatePointer update = attended_update("a dog");
    std::string last = bytes_of(push(new_frame(update)).get());
    for (const auto& [property, value] :
         {std::pair{"position", "top"}, std::pair{"box-opacity", "0.9"},
          std::pair{"text-height", "0.06"}, std::pair{"font", "DejaVu Serif"},
          std::pair{"attention-colours", "spotlight"}, std::pair{"attention-opacity", "0.3"},
          std::pair{"attention", "mean"}, std::pair{"attention", "none"}}) {
        set(property, value);
        const std::string now = bytes_of(push(new_frame(update)).get());
        EXPECT_NE(now, last) << property;
        last = now;
    }
}

TEST_F(OverlayElement, HoldsTheCaptionSteadyWhileItsTextStays) {
    set("attention", "none");
    set_caps(caps_of("I420", 320, 240));
    const std::string first = bytes_of(push(new_frame(attended_update("a dog"))).get());
    for (int frame = 1; frame < 10; ++frame) {
        const auto again = make_update(make_caption("a dog"), 1, frame * 40'000'000LL);
        EXPECT_EQ(
            bytes_of(
                push(new_frame(again, static_cast<GstClockTime>(frame) * 40 * GST_MSECOND)).get()),
            first);
    }
}

TEST_F(OverlayElement, AttachesACompositionWhereDownstreamTakesIt) {
    gst_harness_add_propose_allocation_meta(harness_, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE,
                                            nullptr);
    set_caps(caps_of("I420", 320, 240));
    BufferPointer frame = new_frame(attended_update("a dog"));
    const BufferPointer out = push(std::move(frame));
    EXPECT_EQ(bytes_of(out.get()), std::string(320 * 240 * 3 / 2, 120));
    GstVideoOverlayCompositionMeta* meta = gst_buffer_get_video_overlay_composition_meta(out.get());
    ASSERT_NE(meta, nullptr);
    // Attention, caption, current word.
    EXPECT_EQ(gst_video_overlay_composition_n_rectangles(meta->overlay), 3U);
    GstCaps* caps = gst_pad_get_current_caps(harness_->sinkpad);
    EXPECT_TRUE(gst_caps_features_contains(gst_caps_get_features(caps, 0),
                                           GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION));
    gst_caps_unref(caps);

    const BufferPointer next = push(new_frame(elements::get_caption(out.get()), 40 * GST_MSECOND));
    EXPECT_EQ(gst_buffer_get_video_overlay_composition_meta(next.get())->overlay, meta->overlay);
}

TEST_F(OverlayElement, AttachedAndBlendedPicturesAgree) {
    const UpdatePointer update = attended_update("a dog runs");
    set_caps(caps_of("BGRx", 321, 241));
    const std::string blended = bytes_of(push(new_frame(update)).get());
    gst_harness_teardown(harness_);
    SetUp();
    gst_harness_add_propose_allocation_meta(harness_, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE,
                                            nullptr);
    set_caps(caps_of("BGRx", 321, 241));
    BufferPointer attached = push(new_frame(update));
    GstVideoFrame frame;
    GstVideoOverlayComposition* composition =
        gst_buffer_get_video_overlay_composition_meta(attached.get())->overlay;
    gst_video_overlay_composition_ref(composition);
    BufferPointer target = new_frame();
    ASSERT_TRUE(gst_video_frame_map(&frame, &info_, target.get(), GST_MAP_READWRITE));
    gst_video_overlay_composition_blend(composition, &frame);
    gst_video_frame_unmap(&frame);
    gst_video_overlay_composition_unref(composition);
    const std::string composed = bytes_of(target.get());
    double sum = 0;
    for (std::size_t i = 0; i < composed.size(); ++i) {
        if (i % 4 == 3) continue;  // unused
        sum += std::abs(static_cast<unsigned char>(composed[i]) -
                        static_cast<unsigned char>(blended[i]));
    }
    EXPECT_LT(sum / static_cast<double>(composed.size()), 1.5);
}

TEST_F(OverlayElement, AddsToACompositionThatIsThereAlready) {
    set_caps(
        "video/"
        "x-raw(memory:SystemMemory,meta:GstVideoOverlayComposition),format=I420,width=320,height="
        "240,"
        "framerate=25/1");
    BufferPointer frame = new_frame(attended_update("a dog"));
    GstVideoOverlayComposition* earlier = gst_video_overlay_composition_new(nullptr);
    GstBuffer* pixels = gst_buffer_new_allocate(nullptr, 16, nullptr);
    gst_buffer_memset(pixels, 0, 0, 16);
    gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE,
                              GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 2, 2);
    GstVideoOverlayRectangle* rectangle = gst_video_overlay_rectangle_new_raw(
        pixels, 0, 0, 2, 2, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
    gst_video_overlay_composition_add_rectangle(earlier, rectangle);
    gst_buffer_add_video_overlay_composition_meta(frame.get(), earlier);
    const BufferPointer out = push(std::move(frame));
    const GstVideoOverlayCompositionMeta* meta =
        gst_buffer_get_video_overlay_composition_meta(out.get());
    EXPECT_EQ(gst_video_overlay_composition_n_rectangles(meta->overlay), 4U);
    EXPECT_EQ(gst_video_overlay_composition_n_rectangles(earlier), 1U);
    gst_video_overlay_rectangle_unref(rectangle);
    gst_video_overlay_composition_unref(earlier);
    gst_buffer_unref(pixels);
}

TEST_F(OverlayElement, BlendsWhereDownstreamAcceptsTheFeatureButNamesNoMeta) {
    set_caps(caps_of("I420", 320, 240));
    const BufferPointer out = push(new_frame(attended_update("a dog")));
    EXPECT_EQ(gst_buffer_get_video_overlay_composition_meta(out.get()), nullptr);
    EXPECT_NE(bytes_of(out.get()), std::string(320 * 240 * 3 / 2, 120));
}

TEST_F(OverlayElement, SqueezesTextForWidePixels) {
    set("attention", "none");
    const auto width_of_text = [&](const char* ratio) {
        set_caps(caps_of("GRAY8", 720, 576, (std::string(",pixel-aspect-ratio=") + ratio).c_str()));
        const std::string bytes = bytes_of(push(new_frame(attended_update("mmmmmmmm"))).get());
        int left = 720;
        int right = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (static_cast<unsigned char>(bytes[i]) < 200) continue;
            left = std::min(left, static_cast<int>(i % 720));
            right = std::max(right, static_cast<int>(i % 720));
        }
        return right - left;
    };
    EXPECT_NEAR(width_of_text("64/45") * 64.0 / 45.0, width_of_text("1/1"), 5);
}

TEST_F(OverlayElement, WarnsOnceOfMissingGlyphs) {
    GstBus* bus = gst_bus_new();
    gst_element_set_bus(harness_->element, bus);
    set_caps(caps_of("I420", 320, 240));
    push(new_frame(attended_update("a \xF3\xB0\x80\x80 dog")));
    push(new_frame(attended_update("a \xF3\xB0\x80\x81 cat")));
    GstMessage* warning = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING);
    ASSERT_NE(warning, nullptr);
    gst_message_unref(warning);
    EXPECT_EQ(gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING), nullptr);
    gst_element_set_bus(harness_->element, nullptr);
    gst_object_unref(bus);
}

TEST_F(OverlayElement, ReportsABufferThatHoldsNoFrame) {
    GstBus* bus = gst_bus_new();
    gst_element_set_bus(harness_->element, bus);
    set_caps(caps_of("I420", 320, 240));
    GstBuffer* torn = gst_buffer_new_allocate(nullptr, 100, nullptr);
    elements::set_caption(torn, attended_update("a dog"));
    EXPECT_EQ(gst_harness_push(harness_, torn), GST_FLOW_ERROR);
    GstMessage* error = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    ASSERT_NE(error, nullptr);
    gst_message_unref(error);
    gst_element_set_bus(harness_->element, nullptr);
    gst_object_unref(bus);
}

TEST_F(OverlayElement, DrawsTextWhoseAttentionDoesNotFit) {
    auto caption = make_caption("a dog");
    set_one_hot_attention(*caption, 2, 2, {0, 1});
    caption->attention.resize(3);
    set_caps(caps_of("I420", 320, 240));
    const BufferPointer out = push(new_frame(make_update(caption)));
    EXPECT_NE(bytes_of(out.get()), std::string(320 * 240 * 3 / 2, 120));
}

TEST_F(OverlayElement, StartsWordsAnewAfterAFlush) {
    set("show-text", "false");
    set_caps(caps_of("GRAY8", 100, 60));
    const UpdatePointer update = attended_update("a dog", 1, 2);
    const std::string first = bytes_of(push(new_frame(update, 0)).get());
    EXPECT_NE(bytes_of(push(new_frame(update, 600 * GST_MSECOND)).get()), first);
    gst_harness_push_event(harness_, gst_event_new_flush_start());
    gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(harness_, gst_event_new_segment(&segment));
    EXPECT_EQ(bytes_of(push(new_frame(update, 600 * GST_MSECOND)).get()), first);
}

TEST_F(OverlayElement, IsTheSameInACommaLocale) {
    set_caps(caps_of("I420", 320, 240));
    const UpdatePointer update = attended_update("a dog 3.5 metres long");
    const std::string before = bytes_of(push(new_frame(update)).get());
    const seesay::testing::CommaLocale comma;
    gst_harness_teardown(harness_);
    SetUp();
    set_caps(caps_of("I420", 320, 240));
    EXPECT_EQ(bytes_of(push(new_frame(update)).get()), before);
}

TEST_F(OverlayElement, DescribesItselfInSentences) {
    guint count = 0;
    GParamSpec** specs =
        g_object_class_list_properties(G_OBJECT_GET_CLASS(harness_->element), &count);
    int own = 0;
    for (guint i = 0; i < count; ++i) {
        if (specs[i]->owner_type != G_OBJECT_TYPE(harness_->element)) continue;
        ++own;
        const std::string blurb = g_param_spec_get_blurb(specs[i]);
        EXPECT_EQ(blurb.back(), '.') << specs[i]->name;
        EXPECT_TRUE(specs[i]->flags & GST_PARAM_MUTABLE_PLAYING) << specs[i]->name;
    }
    g_free(specs);
    EXPECT_EQ(own, 10);
    for (const char* key : {GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_KLASS,
                            GST_ELEMENT_METADATA_DESCRIPTION, GST_ELEMENT_METADATA_AUTHOR}) {
        EXPECT_NE(gst_element_get_metadata(harness_->element, key), nullptr);
    }
}

TEST_F(OverlayElement, CostsAreMeasuredAgainstTextoverlay) {
    GstElementFactory* rival = gst_element_factory_find("textoverlay");
    if (rival == nullptr) {
        EXPECT_THROW(measure_overlay_costs(1), Error);
        return;
    }
    gst_object_unref(rival);
    const OverlayCosts costs = measure_overlay_costs(1);
    EXPECT_GT(costs.text_overlay, 0);
    EXPECT_GT(costs.caption, 0);
    EXPECT_GT(costs.caption_and_map, costs.caption);
}

}  // namespace
}  // namespace seesay::overlay::testing
