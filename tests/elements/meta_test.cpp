// The metas and events survive what pipelines do to buffers, and free what they hold.
#include "elements/meta/seesay_meta.hpp"

#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

namespace seesay::elements {
namespace {

std::shared_ptr<const vision::FeatureSet> features_of(std::uint64_t id) {
    auto features = std::make_shared<vision::FeatureSet>();
    features->frame.id = id;
    return features;
}

std::shared_ptr<const CaptionUpdate> update_of(std::uint64_t segment) {
    auto update = std::make_shared<CaptionUpdate>();
    update->segment.id = segment;
    return update;
}

class Meta : public ::testing::Test {
 protected:
    void SetUp() override { gst_init(nullptr, nullptr); }
};

TEST_F(Meta, IsFreedWithItsBuffer) {
    const auto features = features_of(1);
    const auto update = update_of(1);
    GstBuffer* buffer = gst_buffer_new();
    set_features(buffer, features);
    set_caption(buffer, update);
    EXPECT_EQ(features.use_count(), 2);
    EXPECT_EQ(update.use_count(), 2);
    gst_buffer_unref(buffer);
    EXPECT_EQ(features.use_count(), 1);
    EXPECT_EQ(update.use_count(), 1);
}

TEST_F(Meta, SettingTwiceReplaces) {
    const auto first = update_of(1);
    GstBuffer* buffer = gst_buffer_new();
    set_caption(buffer, first);
    set_caption(buffer, update_of(2));
    EXPECT_EQ(first.use_count(), 1);
    EXPECT_EQ(get_caption(buffer)->segment.id, 2U);
    EXPECT_EQ(gst_buffer_get_n_meta(buffer, caption_meta_api_get_type()), 1U);
    gst_buffer_unref(buffer);
}

TEST_F(Meta, AbsentIsNull) {
    GstBuffer* buffer = gst_buffer_new();
    EXPECT_EQ(get_features(buffer), nullptr);
    EXPECT_EQ(get_caption(buffer), nullptr);
    EXPECT_EQ(get_feature_note(buffer).interval_ns, -1);
    gst_buffer_unref(buffer);
}

TEST_F(Meta, CopyKeepsTheDescriptionAndSharesTheMemory) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 16, nullptr);
    const auto features = features_of(7);
    set_features(buffer, features, {.dropped = {.late = 1, .queue = 2}, .interval_ns = 3});
    set_caption(buffer, update_of(9));
    GstBuffer* copy = gst_buffer_copy(buffer);
    EXPECT_EQ(get_features(copy), features);
    EXPECT_EQ(get_feature_note(copy).dropped.queue, 2U);
    EXPECT_EQ(get_feature_note(copy).interval_ns, 3);
    EXPECT_EQ(get_caption(copy)->segment.id, 9U);
    EXPECT_EQ(gst_buffer_peek_memory(copy, 0), gst_buffer_peek_memory(buffer, 0));
    gst_buffer_unref(copy);
    gst_buffer_unref(buffer);
    EXPECT_EQ(features.use_count(), 1);
}

// What elements between ours do to the picture must not lose what was said about it.
class MetaThrough : public Meta, public ::testing::WithParamInterface<const char*> {};

TEST_P(MetaThrough, KeepsBothMetas) {
    GstHarness* harness = gst_harness_new_parse(GetParam());
    gst_harness_set_src_caps_str(harness,
                                 "video/x-raw,format=I420,width=32,height=16,framerate=25/1");
    gst_harness_set_sink_caps_str(harness,
                                  "video/x-raw,format=RGB,width=64,height=48,framerate=25/1");
    GstBuffer* buffer = gst_harness_create_buffer(harness, 32 * 16 * 3 / 2);
    gst_buffer_memset(buffer, 0, 128, 32 * 16 * 3 / 2);
    GST_BUFFER_PTS(buffer) = 0;
    set_features(buffer, features_of(3), {.interval_ns = 5});
    set_caption(buffer, update_of(4));
    GstBuffer* out = gst_harness_push_and_pull(harness, buffer);
    ASSERT_NE(out, nullptr);
    ASSERT_NE(get_features(out), nullptr);
    EXPECT_EQ(get_features(out)->frame.id, 3U);
    EXPECT_EQ(get_feature_note(out).interval_ns, 5);
    ASSERT_NE(get_caption(out), nullptr);
    EXPECT_EQ(get_caption(out)->segment.id, 4U);
    gst_buffer_unref(out);
    gst_harness_teardown(harness);
}

INSTANTIATE_TEST_SUITE_P(
    Transforms, MetaThrough,
    ::testing::Values("videoconvert ! videoscale", "videoscale ! videoconvert",
                      "videoconvert ! videoflip method=rotate-180 ! videoscale",
                      "videoconvert ! videocrop left=4 ! videoscale"));

TEST_F(Meta, UpdateEventCarriesTheUpdateAndFreesIt) {
    const auto update = update_of(5);
    GstEvent* event = new_caption_update_event(update);
    EXPECT_TRUE(GST_EVENT_IS_SERIALIZED(event));
    EXPECT_EQ(parse_caption_update_event(event), update);
    EXPECT_EQ(parse_features_event(event).features, nullptr);
    GstEvent* copy = gst_event_copy(event);
    EXPECT_EQ(parse_caption_update_event(copy), update);
    gst_event_unref(event);
    gst_event_unref(copy);
    EXPECT_EQ(update.use_count(), 1);
}

TEST_F(Meta, FeaturesEventCarriesFeaturesAndNote) {
    const auto features = features_of(6);
    GstEvent* event = new_features_event({features, {.next_due_ns = 11}});
    EXPECT_EQ(parse_features_event(event).features, features);
    EXPECT_EQ(parse_features_event(event).note.next_due_ns, 11);
    EXPECT_EQ(parse_caption_update_event(event), nullptr);
    gst_event_unref(event);
    EXPECT_EQ(features.use_count(), 1);
}

TEST_F(Meta, ForeignEventsAreNotOurs) {
    GstEvent* eos = gst_event_new_eos();
    GstEvent* impostor = gst_event_new_custom(
        GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new("seesay-caption-update", "update", G_TYPE_INT, 1, nullptr));
    EXPECT_EQ(parse_caption_update_event(eos), nullptr);
    EXPECT_EQ(parse_caption_update_event(impostor), nullptr);
    gst_event_unref(eos);
    gst_event_unref(impostor);
}

}  // namespace
}  // namespace seesay::elements
