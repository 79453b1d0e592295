// seesayfeatures on a harness, with a fake encoder.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "elements/features/seesayfeatures.hpp"
#include "elements/meta/seesay_meta.hpp"
#include "models/error.hpp"
#include "tests/elements/element_fixtures.hpp"
#include "tests/elements/fake_sessions.hpp"

namespace seesay::elements {
namespace {

using testing::ElementHarness;
using testing::FakeEncoder;
using testing::kFrame;

class FeaturesElement : public ::testing::Test {
 protected:
    void SetUp() override { gst_init(nullptr, nullptr); }
    void TearDown() override {
        harness_.reset();
        EXPECT_EQ(encoder_.use_count(), 1) << "the element keeps the session";
    }

    static GstElement* new_element() {
        return GST_ELEMENT(g_object_new(seesay_features_get_type(), nullptr));
    }
    /// Interval 0 unless the test sets another.
    void start(const char* mode, bool live = false, double interval = 0.0) {
        GstElement* element = new_element();
        gst_util_set_object_arg(G_OBJECT(element), "mode", mode);
        g_object_set(element, "caption-interval", interval, nullptr);
        set_encoder_opener(element, [this](const std::string&, const runtime::SessionOptions&) {
            return encoder_;
        });
        harness_ = std::make_unique<ElementHarness>(element, live);
    }
    const ElementHarness& h() const { return *harness_; }
    /// The FeatureSet on the buffer that comes out for a frame at `pts`; null if none.
    std::shared_ptr<const vision::FeatureSet> features_at(GstClockTime pts) {
        GstBuffer* out = h().pass_at(pts);
        if (out == nullptr) return nullptr;
        auto features = get_features(out);
        note_ = get_feature_note(out);
        gst_buffer_unref(out);
        return features;
    }

    std::shared_ptr<FakeEncoder> encoder_ = std::make_shared<FakeEncoder>();
    std::unique_ptr<ElementHarness> harness_;
    FeatureNote note_;
};

TEST_F(FeaturesElement, EveryFrameCarriesItsOwnFeatures) {
    start("every");
    for (std::uint64_t i = 0; i < 5; ++i) {
        const auto features = features_at(i * kFrame);
        ASSERT_NE(features, nullptr);
        EXPECT_EQ(features->frame.id, i + 1);
        EXPECT_EQ(features->frame.pts_ns, static_cast<std::int64_t>(i * kFrame));
        EXPECT_EQ(features->frame.width, 16);
        EXPECT_EQ(features->frame.height, 8);
        EXPECT_GT(features->frame.wall_clock_us, 1'600'000'000'000'000);
        EXPECT_EQ(note_.duration_ns, static_cast<std::int64_t>(kFrame));
        EXPECT_GE(note_.arrival_ns, 0);
    }
    for (const auto& request : encoder_->requests()) {
        EXPECT_TRUE(request.alone);
        EXPECT_EQ(request.input.width, 8);
        EXPECT_EQ(request.input.pixels.size(), 8U * 8 * 3);
    }
    EXPECT_EQ(h().counter("frames"), 5U);
    EXPECT_EQ(h().counter("sampled"), 5U);
}

TEST_F(FeaturesElement, PixelsAndTimesPassUntouched) {
    start("every");
    GstBuffer* in = ElementHarness::frame(7 * kFrame);
    GstMemory* memory = gst_buffer_get_memory(in, 0);
    GstBuffer* shared = gst_buffer_ref(in);  // as with a tee: not writable
    GstBuffer* out = h().pass(in);
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(gst_buffer_peek_memory(out, 0), memory);
    EXPECT_EQ(GST_BUFFER_PTS(out), 7 * kFrame);
    EXPECT_EQ(GST_BUFFER_DURATION(out), kFrame);
    EXPECT_NE(get_features(out), nullptr);
    EXPECT_EQ(get_features(shared), nullptr) << "the other owner's buffer was changed";
    gst_buffer_unref(out);
    gst_buffer_unref(shared);
    gst_memory_unref(memory);
}

TEST_F(FeaturesElement, SamplesByMediaTimeAndSaysWhenTheNextIsDue) {
    start("every", false, 1.0);
    std::vector<int> sampled;
    for (int i = 0; i < 60; ++i) {
        if (features_at(static_cast<GstClockTime>(i) * kFrame)) {
            sampled.push_back(i);
            EXPECT_EQ(note_.next_due_ns, static_cast<std::int64_t>((i / 25 + 1) * GST_SECOND));
            EXPECT_EQ(note_.interval_ns, static_cast<std::int64_t>(GST_SECOND));
        }
    }
    EXPECT_EQ(sampled, (std::vector<int>{0, 25, 50}));
}

TEST_F(FeaturesElement, TellsStreamTimeAndRunningTimeApart) {
    start("every");
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = 10 * GST_SECOND;
    segment.time = 100 * GST_SECOND;
    segment.base = 5 * GST_SECOND;
    h().event(gst_event_new_segment(&segment));
    const auto features = features_at(11 * GST_SECOND);
    ASSERT_NE(features, nullptr);
    EXPECT_EQ(features->frame.pts_ns, static_cast<std::int64_t>(101 * GST_SECOND));
    EXPECT_EQ(features->frame.running_time_ns, static_cast<std::int64_t>(6 * GST_SECOND));
}

TEST_F(FeaturesElement, FramesThatNobodyWillSeeAreNotSampled) {
    start("every");
    GstBuffer* corrupted = ElementHarness::frame(0);
    GST_BUFFER_FLAG_SET(corrupted, GST_BUFFER_FLAG_CORRUPTED);
    gst_buffer_unref(h().pass(corrupted));
    GstBuffer* decode_only = ElementHarness::frame(kFrame);
    GST_BUFFER_FLAG_SET(decode_only, GST_BUFFER_FLAG_DECODE_ONLY);
    gst_buffer_unref(h().pass(decode_only));
    EXPECT_EQ(h().counter("sampled"), 0U);
    EXPECT_NE(features_at(2 * kFrame), nullptr) << "the first clean frame";
}

TEST_F(FeaturesElement, MissingTimesAreInterpolated) {
    start("every");
    EXPECT_EQ(features_at(0)->frame.pts_ns, 0);
    EXPECT_EQ(features_at(GST_CLOCK_TIME_NONE)->frame.pts_ns, static_cast<std::int64_t>(kFrame));
    const auto third = features_at(GST_CLOCK_TIME_NONE);
    EXPECT_EQ(third->frame.pts_ns, static_cast<std::int64_t>(2 * kFrame));
    EXPECT_EQ(third->frame.running_time_ns, static_cast<std::int64_t>(2 * kFrame));
}

TEST_F(FeaturesElement, LatestNeverWaitsAndTheNewestWins) {
    encoder_->hold();
    start("latest");
    for (GstClockTime i = 0; i < 10; ++i)
        EXPECT_EQ(features_at(i * kFrame), nullptr);
    EXPECT_EQ(h().counter("dropped-queue"), 8U);
    EXPECT_EQ(h().count(GST_MESSAGE_QOS), 8U);
    encoder_->release(2);
    ASSERT_TRUE(encoder_->wait_for_results(1));
    GstBuffer* out = h().pass_at(10 * kFrame);
    ASSERT_NE(get_features(out), nullptr);
    EXPECT_EQ(get_features(out)->frame.pts_ns, 0);
    EXPECT_EQ(get_feature_note(out).dropped.queue, 8U);
    gst_buffer_unref(out);
    ASSERT_TRUE(encoder_->wait_for_results(2));
    const auto newest = features_at(11 * kFrame);
    ASSERT_NE(newest, nullptr);
    EXPECT_EQ(newest->frame.pts_ns, static_cast<std::int64_t>(9 * kFrame));
    encoder_->release(2);
}

TEST_F(FeaturesElement, AutoWaitsForAFile) {
    start("auto", false);
    EXPECT_NE(features_at(0), nullptr);
}

TEST_F(FeaturesElement, AutoDoesNotWaitForALiveSource) {
    encoder_->hold();
    start("auto", true);
    EXPECT_EQ(features_at(0), nullptr);
    encoder_->release();
}

TEST_F(FeaturesElement, FlushWakesTheWaitingFrame) {
    encoder_->hold();
    start("every");
    GstFlowReturn flow = GST_FLOW_OK;
    std::thread streaming([&] { flow = h().push_at(0); });
    ASSERT_TRUE(encoder_->wait_for_requests(1));
    h().event(gst_event_new_flush_start());
    streaming.join();
    EXPECT_EQ(flow, GST_FLOW_FLUSHING);
    encoder_->release(2);
    h().seek_to(30 * GST_SECOND);
    const auto features = features_at(30 * GST_SECOND);
    ASSERT_NE(features, nullptr);
    EXPECT_EQ(features->frame.id, 2U) << "ids go on after a seek";
    EXPECT_EQ(features->frame.pts_ns, static_cast<std::int64_t>(30 * GST_SECOND));
}

TEST_F(FeaturesElement, StateChangeWakesTheWaitingFrame) {
    encoder_->hold();
    start("every");
    std::thread streaming([&] { h().push_at(0); });
    ASSERT_TRUE(encoder_->wait_for_requests(1));
    EXPECT_EQ(gst_element_set_state(h().element(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    streaming.join();
    encoder_->release();
}

TEST_F(FeaturesElement, AfterASeekTheFirstFrameIsSampled) {
    start("every", false, 10.0);
    EXPECT_NE(features_at(0), nullptr);
    EXPECT_EQ(features_at(kFrame), nullptr);
    h().seek_to(2 * GST_SECOND);
    EXPECT_NE(features_at(2 * GST_SECOND), nullptr);
    EXPECT_EQ(features_at(2 * GST_SECOND + kFrame), nullptr);
}

TEST_F(FeaturesElement, ASeekDropsWhatWasBeingComputed) {
    encoder_->hold();
    start("latest");
    EXPECT_EQ(features_at(0), nullptr);
    h().seek_to(5 * GST_SECOND);
    encoder_->release();
    ASSERT_TRUE(encoder_->wait_for_results(1));
    EXPECT_EQ(features_at(5 * GST_SECOND), nullptr) << "features of before the seek";
    encoder_->release();
    ASSERT_TRUE(encoder_->wait_for_results(2));
    EXPECT_EQ(features_at(6 * GST_SECOND)->frame.pts_ns, static_cast<std::int64_t>(5 * GST_SECOND));
    encoder_->release();
}

TEST_F(FeaturesElement, CapsMayChangeInMidStream) {
    start("every");
    EXPECT_EQ(features_at(0)->frame.width, 16);
    gst_harness_set_src_caps_str(*h(), "video/x-raw,format=RGB,width=6,height=5,framerate=25/1");
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 20 * 5, nullptr);
    gst_buffer_memset(buffer, 0, 0, 20 * 5);
    GST_BUFFER_PTS(buffer) = kFrame;
    GstBuffer* out = h().pass(buffer);
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(get_features(out)->frame.width, 6);
    EXPECT_EQ(get_features(out)->frame.height, 5);
    gst_buffer_unref(out);
}

TEST_F(FeaturesElement, FormatsThatItCannotReadAreNotNegotiated) {
    start("every");
    GstCaps* caps =
        gst_caps_from_string("video/x-raw,format=I420_10LE,width=16,height=8,framerate=25/1");
    h().event(gst_event_new_caps(caps));
    gst_caps_unref(caps);
    EXPECT_EQ(h().push_at(0), GST_FLOW_NOT_NEGOTIATED);
}

TEST_F(FeaturesElement, ADamagedBufferIsAnError) {
    start("every");
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 10, nullptr);
    GST_BUFFER_PTS(buffer) = 0;
    EXPECT_EQ(h().push(buffer), GST_FLOW_ERROR);
    EXPECT_NE(h().error().find("16x8 GRAY8"), std::string::npos);
}

TEST_F(FeaturesElement, AFailingModelIsAnError) {
    encoder_ = std::make_shared<FakeEncoder>([](const runtime::EncodeRequest&) {
        return runtime::EncodeResult{nullptr,
                                     std::make_exception_ptr(Error("features became NaN"))};
    });
    start("every");
    EXPECT_EQ(h().push_at(0), GST_FLOW_ERROR);
    EXPECT_EQ(h().error(), "features became NaN");
}

TEST_F(FeaturesElement, AFailingModelIsAnErrorInModeLatestToo) {
    encoder_ = std::make_shared<FakeEncoder>([](const runtime::EncodeRequest&) {
        return runtime::EncodeResult{nullptr,
                                     std::make_exception_ptr(Error("features became NaN"))};
    });
    start("latest");
    EXPECT_EQ(h().push_at(0), GST_FLOW_OK);
    ASSERT_TRUE(encoder_->wait_for_results(1));
    EXPECT_EQ(h().push_at(kFrame), GST_FLOW_ERROR);
    EXPECT_EQ(h().error(), "features became NaN");
}

TEST_F(FeaturesElement, APackageThatCannotBeOpenedIsAnError) {
    GstElement* element = GST_ELEMENT(gst_object_ref_sink(new_element()));
    GstBus* bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    g_object_set(element, "package", "nowhere", nullptr);
    set_encoder_opener(element,
                       [](const std::string& package,
                          const runtime::SessionOptions&) -> std::shared_ptr<runtime::Encoder> {
                           throw Error("no package " + package);
                       });
    EXPECT_EQ(gst_element_set_state(element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    ASSERT_NE(message, nullptr);
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    EXPECT_STREQ(error->message, "no package nowhere");
    g_error_free(error);
    gst_message_unref(message);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_element_set_bus(element, nullptr);
    gst_object_unref(bus);
    gst_object_unref(element);
}

TEST_F(FeaturesElement, WaitingLiveReportsItsLatency) {
    start("every", true);
    EXPECT_EQ(h().added_latency(), 0U);
    EXPECT_NE(features_at(0), nullptr);
    EXPECT_EQ(h().count(GST_MESSAGE_LATENCY), 1U);
    EXPECT_GT(h().added_latency(), 0U);
}

TEST_F(FeaturesElement, NotWaitingAddsNoLatency) {
    start("latest", true);
    features_at(0);
    ASSERT_TRUE(encoder_->wait_for_results(1));
    features_at(kFrame);
    EXPECT_EQ(h().added_latency(), 0U);
    EXPECT_EQ(h().count(GST_MESSAGE_LATENCY), 0U);
    ASSERT_TRUE(encoder_->wait_for_results(2));
}

TEST_F(FeaturesElement, LateFramesAreSkippedCountedAndReported) {
    start("latest", true);
    EXPECT_TRUE(gst_harness_push_upstream_event(
        *h(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, 100 * GST_MSECOND, 0)));
    features_at(kFrame);
    EXPECT_EQ(h().counter("dropped-late"), 1U);
    EXPECT_EQ(h().counter("sampled"), 0U);
    EXPECT_EQ(h().count(GST_MESSAGE_QOS), 1U);
    features_at(GST_SECOND);
    EXPECT_EQ(h().counter("sampled"), 1U);
    EXPECT_EQ(gst_harness_upstream_events_received(*h()) > 0, true) << "QoS goes on upstream";
    ASSERT_TRUE(encoder_->wait_for_results(1));
}

TEST_F(FeaturesElement, ModeEveryCaptionsLateFramesToo) {
    start("every");
    gst_harness_push_upstream_event(
        *h(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, 100 * GST_MSECOND, 0));
    EXPECT_NE(features_at(kFrame), nullptr);
}

TEST_F(FeaturesElement, TheEndWaitsForTheLastResultAndSendsItAsAnEvent) {
    encoder_->hold();
    start("latest");
    EXPECT_EQ(features_at(0), nullptr);
    EXPECT_EQ(features_at(kFrame), nullptr);
    encoder_->release(2);
    h().event(gst_event_new_eos());
    std::vector<std::uint64_t> ids;
    bool eos = false;
    while (GstEvent* event = gst_harness_try_pull_event(*h())) {
        if (const auto late = parse_features_event(event); late.features) {
            EXPECT_FALSE(eos);
            ids.push_back(late.features->frame.id);
        }
        eos = eos || GST_EVENT_TYPE(event) == GST_EVENT_EOS;
        gst_event_unref(event);
    }
    EXPECT_TRUE(eos);
    EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(FeaturesElement, StartsAfreshAfterAStop) {
    start("every");
    EXPECT_EQ(features_at(0)->frame.id, 1U);
    gst_element_set_state(h().element(), GST_STATE_READY);
    gst_element_set_state(h().element(), GST_STATE_PLAYING);
    EXPECT_EQ(h().counter("frames"), 0U);
}

}  // namespace
}  // namespace seesay::elements
