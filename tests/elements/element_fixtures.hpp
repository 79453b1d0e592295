// What the tests of seesayfeatures and seesaycaption share: an element on a harness with a bus,
// frames, and waiting with a deadline.
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace seesay::testing {

inline constexpr GstClockTime kFrame = 40 * GST_MSECOND;
inline constexpr const char* kVideoCaps =
    "video/x-raw,format=GRAY8,width=16,height=8,framerate=25/1";

/// Owns an element between two harness pads, in PLAYING, with a bus of its own.
class ElementHarness {
 public:
    /// Takes the (floating) element. `live`: what LATENCY queries find upstream.
    explicit ElementHarness(GstElement* element, bool live = false)
        : element_(GST_ELEMENT(gst_object_ref_sink(element))) {
        bus_ = gst_bus_new();
        gst_element_set_bus(element_, bus_);
        harness_ = gst_harness_new_with_element(element_, "sink", "src");
        if (!live) {
            gst_pad_add_probe(
                harness_->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
                [](GstPad*, GstPadProbeInfo* info, gpointer) {
                    GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
                    if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return GST_PAD_PROBE_OK;
                    gst_query_set_latency(query, FALSE, 0, GST_CLOCK_TIME_NONE);
                    return GST_PAD_PROBE_HANDLED;
                },
                nullptr, nullptr);
        }
        gst_harness_set_src_caps_str(harness_, kVideoCaps);
    }
    ~ElementHarness() {
        gst_harness_teardown(harness_);
        gst_element_set_bus(element_, nullptr);
        gst_object_unref(element_);
        gst_object_unref(bus_);
    }
    ElementHarness(const ElementHarness&) = delete;
    ElementHarness& operator=(const ElementHarness&) = delete;

    GstHarness* operator*() const { return harness_; }
    [[nodiscard]] GstElement* element() const { return element_; }

    /// A frame of kVideoCaps.
    static GstBuffer* frame(GstClockTime pts, GstClockTime duration = kFrame) {
        GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 16 * 8, nullptr);
        gst_buffer_memset(buffer, 0, 100, 16 * 8);
        GST_BUFFER_PTS(buffer) = pts;
        GST_BUFFER_DURATION(buffer) = duration;
        return buffer;
    }
    GstFlowReturn push(GstBuffer* buffer) const { return gst_harness_push(harness_, buffer); }
    GstFlowReturn push_at(GstClockTime pts) const { return push(frame(pts)); }
    /// The buffer that came out for it; null if none did.
    GstBuffer* pass(GstBuffer* buffer) const {
        return push(buffer) == GST_FLOW_OK ? gst_harness_try_pull(harness_) : nullptr;
    }
    GstBuffer* pass_at(GstClockTime pts) const { return pass(frame(pts)); }

    bool event(GstEvent* event) const { return gst_harness_push_event(harness_, event) != FALSE; }
    void seek_to(GstClockTime time) const {
        event(gst_event_new_flush_start());
        event(gst_event_new_flush_stop(TRUE));
        GstSegment segment;
        gst_segment_init(&segment, GST_FORMAT_TIME);
        segment.start = segment.time = segment.position = time;
        event(gst_event_new_segment(&segment));
    }

    /// All messages of `type` so far.
    std::vector<GstMessage*> messages(GstMessageType type) const {
        std::vector<GstMessage*> found;
        while (GstMessage* message = gst_bus_pop_filtered(bus_, type))
            found.push_back(message);
        return found;
    }
    std::size_t count(GstMessageType type) const {
        const auto found = messages(type);
        for (GstMessage* message : found)
            gst_message_unref(message);
        return found.size();
    }
    /// The text of the first error message; empty if none.
    std::string error() const {
        std::string text;
        for (GstMessage* message : messages(GST_MESSAGE_ERROR)) {
            GError* error = nullptr;
            gst_message_parse_error(message, &error, nullptr);
            if (text.empty()) text = error->message;
            g_error_free(error);
            gst_message_unref(message);
        }
        return text;
    }
    guint64 counter(const char* name) const {
        guint64 value = 0;
        g_object_get(element_, name, &value, nullptr);
        return value;
    }
    /// What the element adds to upstream's minimum latency.
    GstClockTime added_latency() const {
        gst_harness_set_upstream_latency(harness_, 0);
        return gst_harness_query_latency(harness_);
    }

 private:
    GstElement* element_;
    GstBus* bus_;
    GstHarness* harness_;
};

}  // namespace seesay::testing
