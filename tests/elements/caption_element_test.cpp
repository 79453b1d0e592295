// seesaycaption on a harness, with a fake captioner: events, metas, waiting, flushes, ends.
#include <gtest/gtest.h>

#include <thread>

#include "elements/caption/seesaycaption.hpp"
#include "models/error.hpp"
#include "tests/elements/caption_fixtures.hpp"

namespace seesay::elements {
namespace {

using testing::ElementHarness;
using testing::kFrame;

class CaptionElement : public testing::CaptionElementTest {};

TEST_F(CaptionElement, TheUpdateComesOnceBeforeItsBufferAndTheMetaStays) {
    start("every");
    GstBuffer* out = h().pass(described(0, 1));
    ASSERT_NE(out, nullptr);
    const auto told = updates();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(get_caption(out), told[0]);
    EXPECT_EQ(told[0]->caption->text, "dog");
    EXPECT_EQ(told[0]->segment.start_ns, 0);
    EXPECT_EQ(told[0]->segment.end_ns, static_cast<std::int64_t>(kFrame));
    EXPECT_GT(told[0]->latency_total_ns, 0);
    EXPECT_EQ(told[0]->dropped.late, 3U);
    EXPECT_EQ(told[0]->dropped.queue, 4U);
    gst_buffer_unref(out);
    out = h().pass_at(kFrame);
    EXPECT_EQ(get_caption(out), told[0]);
    EXPECT_TRUE(updates().empty());
    gst_buffer_unref(out);
}

TEST_F(CaptionElement, FramesBeforeTheFirstCaptionCarryNone) {
    start("every");
    GstBuffer* out = h().pass_at(0);
    EXPECT_EQ(get_caption(out), nullptr);
    gst_buffer_unref(out);
}

TEST_F(CaptionElement, PixelsPassUntouched) {
    start("every");
    GstBuffer* in = described(0, 1);
    GstMemory* memory = gst_buffer_get_memory(in, 0);
    GstBuffer* shared = gst_buffer_ref(in);
    GstBuffer* out = h().pass(in);
    EXPECT_EQ(gst_buffer_peek_memory(out, 0), memory);
    EXPECT_EQ(get_caption(shared), nullptr) << "the other owner's buffer was changed";
    gst_buffer_unref(out);
    gst_buffer_unref(shared);
    gst_memory_unref(memory);
}

TEST_F(CaptionElement, FormatsThatItDoesNotKnowPass) {
    start("every");
    gst_harness_set_src_caps_str(*h(),
                                 "video/x-raw(memory:Strange),format=P010_10LE,width=16,height=8");
    GstBuffer* out = h().pass(described(0, 1));
    ASSERT_NE(out, nullptr);
    EXPECT_NE(get_caption(out), nullptr);
    gst_buffer_unref(out);
}

TEST_F(CaptionElement, EachFeatureSetIsCaptionedOnce) {
    start("every");
    GstBuffer* first = described(0, 1);
    GstBuffer* again = gst_buffer_copy(first);
    pass(first);
    pass(again);
    EXPECT_EQ(updates().size(), 1U);
    EXPECT_EQ(captioner_->requests().size(), 1U);
}

TEST_F(CaptionElement, SegmentsFollowTheText) {
    start("every");
    pass(described(0, 1));
    say("dog");
    pass(described(GST_SECOND, 2));
    say("cat");
    pass(described(2 * GST_SECOND, 3));
    const auto told = updates();
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told[1]->segment.id, 1U);
    EXPECT_EQ(told[1]->segment.revision, 2U);
    EXPECT_TRUE(told[2]->segment.final);
    EXPECT_EQ(told[2]->segment.id, 1U);
    EXPECT_EQ(told[2]->segment.end_ns, static_cast<std::int64_t>(2 * GST_SECOND));
    EXPECT_EQ(told[3]->segment.id, 2U);
    EXPECT_EQ(told[3]->caption->text, "cat");
}

TEST_F(CaptionElement, AKeptTextIsRescoredAndStays) {
    start("every");
    pass(described(0, 1));
    say("hound", -0.9);
    rescore(-1.0);
    pass(described(GST_SECOND, 2));
    const auto told = updates();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[1]->caption->text, "dog");
    EXPECT_EQ(told[1]->caption->frame.id, 2U);
    EXPECT_EQ(captioner_->requests().at(1).previous, told[0]->caption);
}

TEST_F(CaptionElement, MarginZeroAsksForNoRescoring) {
    start("every");
    g_object_set(h().element(), "keep-margin", 0.0, nullptr);
    pass(described(0, 1));
    say("hound", -5.0);
    pass(described(GST_SECOND, 2));
    EXPECT_EQ(captioner_->requests().at(1).previous, nullptr);
    EXPECT_EQ(updates().size(), 3U);
}

TEST_F(CaptionElement, DecodingPropertiesReachTheSearchAndElseThePackageDecides) {
    start("every");
    pass(described(0, 1));
    g_object_set(h().element(), "beam", 7, "length-exponent", 0.0, "maximum-length", 9,
                 "minimum-length", 0, "block-ngrams", 0, nullptr);
    gst_util_set_object_arg(G_OBJECT(h().element()), "suppress-unknown", "no");
    gst_util_set_object_arg(G_OBJECT(h().element()), "forbid-repeats", "no");
    pass(described(GST_SECOND, 2));
    const auto before = captioner_->requests().at(0).decoding;
    const auto defaults = captioner_->decoding_defaults();
    EXPECT_EQ(before.beam, defaults.beam);
    EXPECT_EQ(before.length_exponent, defaults.length_exponent);
    EXPECT_EQ(before.maximum_length, defaults.maximum_length);
    EXPECT_EQ(before.minimum_length, defaults.minimum_length);
    EXPECT_EQ(before.block_ngrams, defaults.block_ngrams);
    EXPECT_EQ(before.suppress_unknown, defaults.suppress_unknown);
    const auto after = captioner_->requests().at(1).decoding;
    EXPECT_EQ(after.beam, 7);
    EXPECT_EQ(after.length_exponent, 0.0);
    EXPECT_EQ(after.maximum_length, 9);
    EXPECT_EQ(after.minimum_length, 0);
    EXPECT_EQ(after.block_ngrams, 0);
    EXPECT_FALSE(after.suppress_unknown);
    EXPECT_FALSE(after.forbid_repeats);
}

TEST_F(CaptionElement, ContradictingDecodingPropertiesAreAnError) {
    start("every");
    g_object_set(h().element(), "minimum-length", 9, "maximum-length", 3, nullptr);
    EXPECT_EQ(h().push(described(0, 1)), GST_FLOW_ERROR);
    EXPECT_NE(h().error().find("minimum-length 9"), std::string::npos);
}

TEST_F(CaptionElement, FeaturesOfAnotherEncoderAreRefusedNamingBoth) {
    start("every");
    EXPECT_EQ(h().push(described(0, 1, "other-encoder", "ffff")), GST_FLOW_ERROR);
    const std::string error = h().error();
    EXPECT_NE(error.find("fake-encoder (e0e0)"), std::string::npos) << error;
    EXPECT_NE(error.find("other-encoder (ffff)"), std::string::npos) << error;
}

TEST_F(CaptionElement, AFailingModelIsAnError) {
    start("every");
    fail("log-probabilities became NaN");
    EXPECT_EQ(h().push(described(0, 1)), GST_FLOW_ERROR);
    EXPECT_EQ(h().error(), "log-probabilities became NaN");
}

TEST_F(CaptionElement, LatestNeverWaitsAndTheNewestWins) {
    captioner_->hold();
    start("latest");
    for (std::uint64_t id = 1; id <= 10; ++id) {
        GstBuffer* out = h().pass(described((id - 1) * kFrame, id));
        ASSERT_NE(out, nullptr);
        EXPECT_EQ(get_caption(out), nullptr);
        gst_buffer_unref(out);
    }
    EXPECT_EQ(h().counter("dropped-queue"), 8U);
    EXPECT_EQ(h().count(GST_MESSAGE_QOS), 8U);
    captioner_->release(2);
    ASSERT_TRUE(captioner_->wait_for_results(1));
    pass(ElementHarness::frame(10 * kFrame));
    ASSERT_TRUE(captioner_->wait_for_results(2));
    say("cat");
    pass(ElementHarness::frame(11 * kFrame));
    const auto told = updates();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0]->caption->frame.id, 1U);
    EXPECT_EQ(told[0]->segment.start_ns, 0) << "timed by the frame that it describes";
    EXPECT_EQ(told[0]->dropped.queue, 12U) << "upstream's and our own";
    EXPECT_EQ(told[1]->caption->frame.id, 10U);
}

TEST_F(CaptionElement, FlushWakesTheWaitingFrameAndIdsGoOn) {
    start("every");
    pass(described(0, 1));
    updates();
    captioner_->hold();
    GstFlowReturn flow = GST_FLOW_OK;
    std::thread streaming([&] { flow = h().push(described(GST_SECOND, 2)); });
    ASSERT_TRUE(captioner_->wait_for_requests(2));
    h().event(gst_event_new_flush_start());
    streaming.join();
    EXPECT_EQ(flow, GST_FLOW_FLUSHING);
    captioner_->release(2);
    h().seek_to(60 * GST_SECOND);
    const auto cut = updates();
    ASSERT_EQ(cut.size(), 1U) << "the segment is ended by the cut";
    EXPECT_TRUE(cut[0]->segment.final);
    EXPECT_EQ(cut[0]->segment.end_ns, static_cast<std::int64_t>(kFrame));
    GstBuffer* out = h().pass_at(60 * GST_SECOND);
    EXPECT_EQ(get_caption(out), nullptr) << "nothing holds after a cut";
    gst_buffer_unref(out);
    pass(described(60 * GST_SECOND + kFrame, 3));
    EXPECT_EQ(updates().at(0)->segment.id, 2U);
}

TEST_F(CaptionElement, StateChangeWakesTheWaitingFrame) {
    captioner_->hold();
    start("every");
    std::thread streaming([&] { h().push(described(0, 1)); });
    ASSERT_TRUE(captioner_->wait_for_requests(1));
    EXPECT_EQ(gst_element_set_state(h().element(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    streaming.join();
    captioner_->release();
}

TEST_F(CaptionElement, TheEndClosesTheSegmentWithTheLastFrame) {
    start("every");
    pass(described(0, 1));
    for (GstClockTime i = 1; i < 5; ++i)
        pass(ElementHarness::frame(i * kFrame));
    updates();
    h().event(gst_event_new_eos());
    const auto told = events_until_eos();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0]->segment.final);
    EXPECT_EQ(told[0]->segment.id, 1U);
    EXPECT_EQ(told[0]->segment.end_ns, static_cast<std::int64_t>(5 * kFrame));
}

TEST_F(CaptionElement, OneFrameWithoutDurationHasAnEndAfterItsStart) {
    start("every");
    gst_harness_set_src_caps_str(*h(), "video/x-raw,format=GRAY8,width=16,height=8,framerate=0/1");
    GstBuffer* buffer = described(0, 1);
    GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
    pass(buffer);
    h().event(gst_event_new_eos());
    EXPECT_GT(events_until_eos().back()->segment.end_ns, 0);
}

TEST_F(CaptionElement, TheEndWaitsForTheRunningCaption) {
    captioner_->hold();
    start("latest");
    pass(described(0, 1));
    captioner_->release();
    h().event(gst_event_new_eos());
    const auto told = events_until_eos();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_FALSE(told[0]->segment.final);
    EXPECT_TRUE(told[1]->segment.final);
}

TEST_F(CaptionElement, FeaturesThatNoBufferFollowsAreCaptionedToo) {
    start("every");
    pass(ElementHarness::frame(0));
    h().event(late_features(1, 0));
    h().event(gst_event_new_eos());
    const auto told = events_until_eos();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0]->caption->frame.id, 1U);
    EXPECT_TRUE(told[1]->segment.final);
}

TEST_F(CaptionElement, AnEndWithoutFramesTellsNothing) {
    start("every");
    h().event(gst_event_new_eos());
    EXPECT_TRUE(events_until_eos().empty());
}

TEST_F(CaptionElement, ASecondStreamEndsWhatHeld) {
    start("every");
    pass(described(0, 1));
    updates();
    h().event(gst_event_new_stream_start("second"));
    const auto cut = updates();
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_TRUE(cut[0]->segment.final);
}

TEST_F(CaptionElement, WaitingLiveReportsItsLatencyAndNotWaitingNone) {
    start("every", true);
    pass(described(0, 1));
    EXPECT_EQ(h().count(GST_MESSAGE_LATENCY), 1U);
    EXPECT_GT(h().added_latency(), 0U);
    restart("latest", true);
    pass(described(0, 1));
    ASSERT_TRUE(captioner_->wait_for_results(2));
    EXPECT_EQ(h().added_latency(), 0U);
}

TEST_F(CaptionElement, APackageThatCannotBeOpenedIsAnError) {
    GstElement* element =
        GST_ELEMENT(gst_object_ref_sink(g_object_new(seesay_caption_get_type(), nullptr)));
    GstBus* bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    set_captioner_opener(element,
                         [](const std::string&,
                            const runtime::SessionOptions&) -> std::shared_ptr<runtime::Captioner> {
                             throw Error("weights are damaged");
                         });
    EXPECT_EQ(gst_element_set_state(element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    ASSERT_NE(message, nullptr);
    gst_message_unref(message);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_element_set_bus(element, nullptr);
    gst_object_unref(bus);
    gst_object_unref(element);
}

}  // namespace
}  // namespace seesay::elements
