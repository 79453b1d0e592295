// seesayfeatures and seesaycaption in whole pipelines, with real sessions over tiny packages.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "elements/meta/seesay_meta.hpp"
#include "elements/static_plugin.hpp"
#include "tests/fixtures/tiny_packages.hpp"

namespace seesay::elements {
namespace {

constexpr GstClockTime kDeadline = 120 * GST_SECOND;

/// A parsed pipeline, run to its end.
class Playback {
 public:
    explicit Playback(const std::string& description) {
        GError* error = nullptr;
        pipeline_ = gst_parse_launch(description.c_str(), &error);
        if (error != nullptr) {
            ADD_FAILURE() << error->message;
            g_error_free(error);
            return;
        }
        GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline_), "out");
        if (sink != nullptr) {
            GstPad* pad = gst_element_get_static_pad(sink, "sink");
            gst_pad_add_probe(pad,
                              static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                                           GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                              look, this, nullptr);
            gst_object_unref(pad);
            gst_object_unref(sink);
        }
        play();
    }
    ~Playback() { gst_object_unref(pipeline_); }
    Playback(const Playback&) = delete;
    Playback& operator=(const Playback&) = delete;

    std::string error;  ///< empty: reached its end
    int frames = 0;
    int captioned = 0;  ///< frames with a caption
    std::vector<std::shared_ptr<const CaptionUpdate>> updates;

 private:
    static GstPadProbeReturn look(GstPad*, GstPadProbeInfo* info, gpointer data) {
        auto& run = *static_cast<Playback*>(data);
        if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
            ++run.frames;
            if (get_caption(GST_PAD_PROBE_INFO_BUFFER(info))) ++run.captioned;
        } else if (auto update = parse_caption_update_event(GST_PAD_PROBE_INFO_EVENT(info))) {
            run.updates.push_back(std::move(update));
        }
        return GST_PAD_PROBE_OK;
    }

    void play() {
        gst_element_set_state(pipeline_, GST_STATE_PLAYING);
        GstBus* bus = gst_element_get_bus(pipeline_);
        GstMessage* message = gst_bus_timed_pop_filtered(
            bus, kDeadline, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
        if (message == nullptr) {
            error = "no end before the deadline";
        } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
            GError* reported = nullptr;
            gst_message_parse_error(message, &reported, nullptr);
            error = reported->message;
            g_error_free(reported);
        }
        if (message != nullptr) gst_message_unref(message);
        gst_element_set_state(pipeline_, GST_STATE_NULL);
        gst_object_unref(bus);
    }

    GstElement* pipeline_ = nullptr;
};

class CaptionPipeline : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        // Read by gst_init. The registry's own objects live as long as the process.
        setenv("GST_TRACERS",
               "leaks(filters=\"GstElement,GstPad,GstBus,GstBuffer,GstCaps,GstEvent,GstQuery,"
               "GstMessage,GstTagList\")",
               1);
        gst_init(nullptr, nullptr);
        register_seesay_elements();
    }
    void SetUp() override { packages_ = fixtures::make_tiny_packages(folder_.path()); }

    /// Three seconds of a moving pattern, captioned.
    std::string captioned(const std::string& features, const std::string& caption) const {
        return "videotestsrc pattern=ball num-buffers=30 ! "
               "video/x-raw,format=I420,width=160,height=120,framerate=10/1 ! "
               "seesayfeatures precision=fp32 " +
               features + " ! seesaycaption precision=fp32 " + caption + " ! ";
    }
    std::string captioned() const {
        const std::string package = "package=" + packages_.captioner.string();
        return captioned(package, package);
    }

    fixtures::TemporaryFolder folder_;
    fixtures::TinyPackages packages_;
};

TEST_F(CaptionPipeline, AFileIsCaptionedAlikeTwice) {
    const Playback first(captioned() + "fakesink name=out");
    const Playback second(captioned() + "fakesink name=out");
    ASSERT_EQ(first.error, "");
    EXPECT_EQ(first.frames, 30);
    EXPECT_EQ(first.captioned, 30);
    ASSERT_FALSE(first.updates.empty());
    EXPECT_TRUE(first.updates.back()->segment.final);
    EXPECT_EQ(first.updates.back()->segment.end_ns, 3'000'000'000);
    ASSERT_EQ(first.updates.size(), second.updates.size());
    int decisions = 0;
    for (std::size_t i = 0; i < first.updates.size(); ++i) {
        EXPECT_EQ(first.updates[i]->caption->text, second.updates[i]->caption->text);
        EXPECT_EQ(first.updates[i]->caption->score, second.updates[i]->caption->score);
        EXPECT_EQ(first.updates[i]->caption->attention, second.updates[i]->caption->attention);
        EXPECT_EQ(first.updates[i]->segment.end_ns, second.updates[i]->segment.end_ns);
        decisions += first.updates[i]->segment.final ? 0 : 1;
    }
    EXPECT_EQ(decisions, 3) << "one a second";
}

TEST_F(CaptionPipeline, AOneFrameFilmHasOneCaption) {
    const std::string package = "package=" + packages_.captioner.string();
    const Playback run("videotestsrc num-buffers=1 ! video/x-raw,framerate=25/1 ! seesayfeatures " +
                       package + " ! seesaycaption " + package + " ! fakesink name=out");
    EXPECT_EQ(run.error, "");
    ASSERT_EQ(run.updates.size(), 2U);
    EXPECT_GT(run.updates[1]->segment.end_ns, run.updates[1]->segment.start_ns);
}

TEST_F(CaptionPipeline, ALiveSourceIsCaptionedWithoutWaiting) {
    const std::string package = "package=" + packages_.captioner.string();
    const Playback run(
        "videotestsrc is-live=true num-buffers=20 ! video/x-raw,framerate=20/1 ! seesayfeatures "
        "caption-interval=0 " +
        package + " ! seesaycaption " + package + " ! fakesink name=out sync=true");
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.frames, 20);
    ASSERT_FALSE(run.updates.empty());
    EXPECT_TRUE(run.updates.back()->segment.final);
}

TEST_F(CaptionPipeline, NumbersThatOverflowAreAnErrorNotACaption) {
    const std::string package = "package=" + packages_.overflow.string();
    const Playback run(captioned(package, package) + "fakesink name=out");
    EXPECT_NE(run.error, "");
    EXPECT_TRUE(run.updates.empty());
}

TEST_F(CaptionPipeline, APackageWithNaNIsAnErrorBeforeTheFirstFrame) {
    const std::string package = "package=" + packages_.nan.string();
    const Playback run(captioned("package=" + packages_.encoder.string(), package) +
                       "fakesink name=out");
    EXPECT_NE(run.error, "");
    EXPECT_EQ(run.frames, 0);
}

TEST_F(CaptionPipeline, FeaturesOfAnotherEncoderAreRefused) {
    const Playback run(
        captioned("package=" + packages_.encoder.string(), "package=" + packages_.other.string()) +
        "fakesink name=out");
    EXPECT_NE(run.error.find("tiny-encoder"), std::string::npos) << run.error;
}

TEST_F(CaptionPipeline, AMissingPackageIsNamed) {
    const Playback run(captioned("package=nowhere", "package=nowhere") + "fakesink name=out");
    EXPECT_NE(run.error.find("nowhere"), std::string::npos) << run.error;
}

TEST_F(CaptionPipeline, TheTextPadFeedsAMuxer) {
    const std::string file = folder_.path() / "out.mkv";
    const std::string package = "package=" + packages_.captioner.string();
    const Playback run("matroskamux name=mux ! filesink location=" + file +
                       " videotestsrc num-buffers=30 ! "
                       "video/x-raw,format=I420,width=160,height=120,framerate=10/1 ! "
                       "seesayfeatures " +
                       package + " ! seesaycaption name=caption " + package +
                       " ! jpegenc ! queue ! mux. caption.text_0 ! queue ! mux.");
    ASSERT_EQ(run.error, "");
    const Playback check("filesrc location=" + file +
                         " ! matroskademux name=demux demux.subtitle_0 ! queue ! fakesink name=out "
                         "async=false demux.video_0 ! queue ! fakesink async=false");
    EXPECT_EQ(check.error, "");
    EXPECT_GE(check.frames, 3);
}

TEST_F(CaptionPipeline, ThePluginFileInTheSameProcessSharesTheTypes) {
    GError* error = nullptr;
    const GLogLevelFlags fatal = g_log_set_always_fatal(
        static_cast<GLogLevelFlags>(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK));
    GstPlugin* plugin =
        gst_plugin_load_file(SEESAY_BUILD_DIR "/lib/gstreamer-1.0/libgstseesay.so", &error);
    ASSERT_NE(plugin, nullptr) << error->message;
    EXPECT_STREQ(gst_plugin_get_license(plugin), "MIT/X11");
    const Playback run(captioned() + "fakesink name=out");
    g_log_set_always_fatal(fatal);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.captioned, 30);
    gst_object_unref(plugin);
}

TEST_F(CaptionPipeline, LeavesNoObjectsBehind) {
    {
        const Playback run(captioned() + "fakesink name=out");
        ASSERT_EQ(run.error, "");
    }
    GstTracer* leaks = nullptr;
    GList* tracers = gst_tracing_get_active_tracers();
    for (GList* one = tracers; one != nullptr; one = one->next) {
        if (g_str_has_prefix(G_OBJECT_TYPE_NAME(one->data), "GstLeaks"))
            leaks = GST_TRACER(one->data);
    }
    ASSERT_NE(leaks, nullptr);
    GstStructure* live = nullptr;
    g_signal_emit_by_name(leaks, "get-live-objects", &live);
    ASSERT_NE(live, nullptr);
    const GValue* objects = gst_structure_get_value(live, "live-objects-list");
    for (guint i = 0; i < gst_value_list_get_size(objects); ++i) {
        gchar* text = gst_value_serialize(gst_value_list_get_value(objects, i));
        ADD_FAILURE() << text;
        g_free(text);
    }
    gst_structure_free(live);
    g_list_free_full(tracers, gst_object_unref);
}

}  // namespace
}  // namespace seesay::elements
