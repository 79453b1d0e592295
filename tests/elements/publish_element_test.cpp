// seesaypublish on a harness: video untouched, one event an update, errors before the first frame.
#include "elements/publish/seesaypublish.hpp"

#include <gmock/gmock.h>
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "elements/meta/seesay_meta.hpp"
#include "tests/elements/publish_fixtures.hpp"
#include "tests/elements/subprocess.hpp"

namespace seesay::elements {
namespace {

using nlohmann::json;
using seesay::testing::numbered_update;
using seesay::testing::Subprocess;
using seesay::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr const char* kCaps = "video/x-raw,format=I420,width=16,height=16,framerate=25/1";

std::string string_property(GstElement* element, const char* name) {
    gchar* text = nullptr;
    g_object_get(element, name, &text, nullptr);
    std::string copy = text == nullptr ? "" : text;
    g_free(text);
    return copy;
}

guint64 counter(GstElement* element, const char* name) {
    guint64 value = 0;
    g_object_get(element, name, &value, nullptr);
    return value;
}

GstElement* new_element(const std::string& endpoint, const std::string& stream = "cam1") {
    gst_init(nullptr, nullptr);
    register_publish(nullptr);
    GstElement* element = gst_element_factory_make("seesaypublish", nullptr);
    g_object_set(element, "endpoint", endpoint.c_str(), "stream", stream.c_str(), nullptr);
    return element;
}

/// The element on a harness, playing, with caps.
class Playing {
 public:
    explicit Playing(const std::string& endpoint, const std::string& stream = "cam1")
        : element_(new_element(endpoint, stream)),
          harness_(gst_harness_new_with_element(element_, "sink", "src")) {
        play();
    }
    ~Playing() {
        gst_harness_teardown(harness_);
        gst_object_unref(element_);
    }

    GstElement* element() const { return element_; }
    GstHarness* harness() const { return harness_; }
    void play() {
        gst_harness_play(harness_);
        gst_harness_set_src_caps_str(harness_, kCaps);
    }
    void stop() { gst_element_set_state(element_, GST_STATE_NULL); }
    bool push(const std::shared_ptr<const CaptionUpdate>& update) {
        return gst_harness_push_event(harness_, new_caption_update_event(update)) != FALSE;
    }
    /// Collects what the signal tells.
    void listen() {
        g_signal_connect(element_, "caption-event",
                         G_CALLBACK(+[](GstElement*, const gchar* event, gpointer list) {
                             static_cast<std::vector<std::string>*>(list)->emplace_back(event);
                         }),
                         &heard);
    }

    std::vector<std::string> heard;

 private:
    GstElement* element_;
    GstHarness* harness_;
};

/// The error message that the element posts when it is started; empty if it starts.
std::string start_error(GstElement* element) {
    GstBus* bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    std::string text;
    if (gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
        text = "(no message)";
        if (GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) {
            GError* error = nullptr;
            gst_message_parse_error(message, &error, nullptr);
            text = error->message;
            g_clear_error(&error);
            gst_message_unref(message);
        }
    }
    gst_element_set_state(element, GST_STATE_NULL);
    gst_element_set_bus(element, nullptr);
    gst_object_unref(bus);
    gst_object_unref(element);
    return text;
}

TEST(SeesayPublish, PassesTheSameBuffersOn) {
    Playing publish("");
    for (int number = 0; number < 3; ++number) {
        GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 384, nullptr);
        ASSERT_EQ(gst_harness_push(publish.harness(), buffer), GST_FLOW_OK);
        GstBuffer* passed = gst_harness_pull(publish.harness());
        EXPECT_EQ(passed, buffer);
        gst_buffer_unref(passed);
    }
    EXPECT_EQ(counter(publish.element(), "frames"), 3U);
}

TEST(SeesayPublish, TakesVideoOfAnyFormatInAnyMemory) {
    GstElement* element = new_element("");
    GstPad* sink = gst_element_get_static_pad(element, "sink");
    GstCaps* caps = gst_caps_from_string("video/x-raw(memory:DMABuf),format=NV12,width=7,height=5");
    GstCaps* allowed = gst_pad_get_pad_template_caps(sink);
    EXPECT_TRUE(gst_caps_is_subset(caps, allowed));
    gst_caps_unref(allowed);
    gst_caps_unref(caps);
    gst_object_unref(sink);
    gst_object_unref(element);
}

TEST(SeesayPublish, SignalsOneEventAnUpdateWithAttentionWeights) {
    Playing publish("");
    publish.listen();
    publish.push(numbered_update(1));
    publish.push(numbered_update(2, "a cat"));
    ASSERT_EQ(publish.heard.size(), 2U);
    const json first = json::parse(publish.heard[0]);
    EXPECT_EQ(first["stream"], "cam1");
    EXPECT_EQ(first["sequence"], 1);
    EXPECT_EQ(first["run_id"], string_property(publish.element(), "run-id"));
    EXPECT_EQ(first["attention"]["weights"][2], json({0.0, 0.0, 1.0, 0.0, 0.0, 0.0}));
    const json second = json::parse(publish.heard[1]);
    EXPECT_EQ(second["sequence"], 2);
    EXPECT_EQ(second["text"], "a cat");
    EXPECT_EQ(counter(publish.element(), "captions"), 2U);
}

TEST(SeesayPublish, HandsTheUpdateOnDownstream) {
    Playing publish("");
    publish.push(numbered_update(1));
    bool passed = false;
    while (GstEvent* event = gst_harness_try_pull_event(publish.harness())) {
        passed = passed || parse_caption_update_event(event) != nullptr;
        gst_event_unref(event);
    }
    EXPECT_TRUE(passed);
}

TEST(SeesayPublish, WritesTheSameNumbersInACommaLocale) {
    Playing publish("");
    publish.listen();
    publish.push(numbered_update(1));
    const seesay::testing::CommaLocale comma;
    publish.push(numbered_update(1));
    for (const char* key : {"pts_ns", "tokens", "confidence", "attention", "latency_ms"}) {
        EXPECT_EQ(json::parse(publish.heard[0])[key], json::parse(publish.heard[1])[key]) << key;
    }
}

TEST(SeesayPublish, IsNamedAfterTheElementUnlessToldOtherwise) {
    Playing publish("", "");
    gst_element_set_state(publish.element(), GST_STATE_NULL);
    gst_object_set_name(GST_OBJECT(publish.element()), "front door");
    publish.play();
    EXPECT_EQ(string_property(publish.element(), "stream"), "front_door");
}

TEST(SeesayPublish, AFlushKeepsTheRunAndItsNumbers) {
    Playing publish("");
    publish.listen();
    publish.push(numbered_update(1));
    gst_harness_push_event(publish.harness(), gst_event_new_flush_start());
    gst_harness_push_event(publish.harness(), gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(publish.harness(), gst_event_new_segment(&segment));
    publish.push(numbered_update(1));
    ASSERT_EQ(publish.heard.size(), 2U);
    EXPECT_EQ(json::parse(publish.heard[0])["run_id"], json::parse(publish.heard[1])["run_id"]);
    EXPECT_EQ(json::parse(publish.heard[1])["sequence"], 2);
}

TEST(SeesayPublish, PublishesEventsAndEndsWithAFinalStatus) {
    Playing publish("tcp://127.0.0.1:*");
    Subprocess subscriber({SEESAY_PYTHON, SEESAY_PUBLISH_SCRIPTS "/event_subscriber.py", "read",
                           string_property(publish.element(), "bound-endpoint"), "4",
                           "seesay/1/cam1/"});
    const auto next = [&subscriber] {
        return json::parse(subscriber.read_line().value_or("null"))["event"];
    };
    EXPECT_EQ(next()["kind"], "status");
    gst_harness_push(publish.harness(), gst_buffer_new_allocate(nullptr, 384, nullptr));
    publish.push(numbered_update(1));
    publish.push(numbered_update(2));
    gst_harness_push_event(publish.harness(), gst_event_new_eos());
    EXPECT_EQ(next()["sequence"], 1);
    EXPECT_EQ(next()["sequence"], 2);
    const json last = next();
    EXPECT_EQ(last["final"], true);
    EXPECT_EQ(last["counters"]["frames"], 1);
    EXPECT_EQ(last["counters"]["captions"], 2);
}

TEST(SeesayPublish, RebindsWithANewRunEachTimeItStarts) {
    const TemporaryFolder folder;
    const std::string endpoint = "ipc://" + folder.path() + "/cam.sock";
    Playing publish(endpoint);
    publish.listen();
    std::vector<std::string> runs;
    for (int cycle = 0; cycle < 3; ++cycle) {
        EXPECT_EQ(string_property(publish.element(), "bound-endpoint"), endpoint);
        runs.push_back(string_property(publish.element(), "run-id"));
        publish.push(numbered_update(1));
        EXPECT_EQ(json::parse(publish.heard.back())["sequence"], 1);
        publish.stop();
        EXPECT_EQ(string_property(publish.element(), "bound-endpoint"), "");
        EXPECT_EQ(counter(publish.element(), "captions"), 1U);
        publish.play();
    }
    EXPECT_NE(runs[0], runs[1]);
    EXPECT_NE(runs[1], runs[2]);
}

TEST(SeesayPublish, ElementsShareAnEndpointUnderDifferentNames) {
    Playing first("tcp://127.0.0.1:*", "cam1");
    Playing second("tcp://127.0.0.1:*", "cam2");
    EXPECT_EQ(string_property(first.element(), "bound-endpoint"),
              string_property(second.element(), "bound-endpoint"));
    EXPECT_THAT(start_error(new_element("tcp://127.0.0.1:*", "cam2")), HasSubstr("cam2"));
}

TEST(SeesayPublish, AnEndpointInUseIsAnErrorBeforeTheFirstFrame) {
    Playing other("tcp://127.0.0.1:*");
    const std::string taken = string_property(other.element(), "bound-endpoint");
    EXPECT_THAT(start_error(new_element(taken)),
                ::testing::AllOf(HasSubstr(taken), HasSubstr("in use")));
}

TEST(SeesayPublish, RefusesEndpointsAndNamesThatAreNone) {
    EXPECT_THAT(start_error(new_element("udp://127.0.0.1:5")), HasSubstr("udp://127.0.0.1:5"));
    EXPECT_THAT(start_error(new_element("", "front door")), HasSubstr("front door"));
    EXPECT_EQ(start_error(new_element("", "cam1")), "");
}

TEST(SeesayPublish, AnUpdateThatDoesNotFitIsAnError) {
    Playing publish("");
    GstBus* bus = gst_bus_new();
    gst_element_set_bus(publish.element(), bus);
    language::Caption caption = seesay::testing::grid_caption();
    caption.attention.pop_back();
    EXPECT_FALSE(
        publish.push(std::make_shared<CaptionUpdate>(seesay::testing::update_of(caption))));
    EXPECT_FALSE(publish.push(std::make_shared<CaptionUpdate>()));
    GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    EXPECT_NE(message, nullptr);
    gst_clear_message(&message);
    gst_element_set_bus(publish.element(), nullptr);
    gst_object_unref(bus);
}

TEST(SeesayPublish, OtherEventsPass) {
    Playing publish("");
    GstStructure* structure = gst_structure_new_empty("something-else");
    EXPECT_TRUE(gst_harness_push_event(
        publish.harness(), gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure)));
    EXPECT_EQ(counter(publish.element(), "captions"), 0U);
}

}  // namespace
}  // namespace seesay::elements
