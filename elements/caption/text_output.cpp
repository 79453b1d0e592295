// See the header: the pad, its task, and the making of buffers and events from the queue.
#include "elements/caption/text_output.hpp"

#include <utility>

GST_DEBUG_CATEGORY_EXTERN(seesay_caption_debug);
#define GST_CAT_DEFAULT seesay_caption_debug

namespace seesay::elements {
namespace {

GQuark output_quark() {
    return g_quark_from_static_string("seesay-text-output");
}

gboolean forward_upstream(GstPad* pad, GstObject* parent, GstEvent* event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_QOS || GST_EVENT_TYPE(event) == GST_EVENT_RECONFIGURE) {
        gst_event_unref(event);  // how the text fares is no news for the video
        return TRUE;
    }
    return gst_pad_event_default(pad, parent, event);
}

std::shared_ptr<void> owned(GstEvent* event) {
    return {event, [](void* old) { gst_event_unref(static_cast<GstEvent*>(old)); }};
}

}  // namespace

GstPad* TextOutput::new_pad(GstPadTemplate* pad_template, const char* name, GstPad* upstream) {
    GstPad* pad = gst_pad_new_from_template(pad_template, name);
    g_object_set_qdata_full(G_OBJECT(pad), output_quark(), new TextOutput(pad),
                            [](gpointer output) { delete static_cast<TextOutput*>(output); });
    gst_pad_set_iterate_internal_links_function_full(
        pad,
        [](GstPad* text, GstObject*) {
            GValue link = G_VALUE_INIT;
            g_value_init(&link, GST_TYPE_PAD);
            g_value_set_object(&link, text->iterintlinkdata);
            GstIterator* links = gst_iterator_new_single(GST_TYPE_PAD, &link);
            g_value_unset(&link);
            return links;
        },
        gst_object_ref(upstream), gst_object_unref);
    gst_pad_set_activatemode_function(pad, activate);
    gst_pad_set_event_function(pad, forward_upstream);
    gst_pad_use_fixed_caps(pad);
    return pad;
}

TextOutput& TextOutput::of(GstPad* pad) {
    return *static_cast<TextOutput*>(g_object_get_qdata(G_OBJECT(pad), output_quark()));
}

gboolean TextOutput::activate(GstPad* pad, GstObject*, GstPadMode mode, gboolean active) {
    if (mode != GST_PAD_MODE_PUSH) return FALSE;
    TextOutput& output = of(pad);
    if (active) {
        output.queue_.stop_flushing();
        output.start_task();
        return TRUE;
    }
    output.queue_.start_flushing();
    output.queue_.clear();
    return gst_pad_stop_task(pad);
}

void TextOutput::start_task() {
    covered_ns_.reset();
    refused_ = false;
    gst_pad_start_task(
        pad_, [](gpointer output) { static_cast<TextOutput*>(output)->work(); }, this, nullptr);
}

void TextOutput::start_stream(GstEvent* video_stream_start, const std::string& language) {
    const gchar* video_id = nullptr;
    gst_event_parse_stream_start(video_stream_start, &video_id);
    gchar* name = gst_pad_get_name(pad_);
    gchar* id = g_strdup_printf("%s/%s", video_id, name);
    GstEvent* start = gst_event_new_stream_start(id);
    g_free(id);
    g_free(name);
    guint group = 0;
    if (gst_event_parse_group_id(video_stream_start, &group)) gst_event_set_group_id(start, group);
    gst_event_set_stream_flags(start, GST_STREAM_FLAG_SPARSE);
    push_event(start);
    GstCaps* caps = gst_caps_new_simple("text/x-raw", "format", G_TYPE_STRING, "utf8", nullptr);
    push_event(gst_event_new_caps(caps));
    gst_caps_unref(caps);
    if (!language.empty()) {
        const std::string code = language.substr(0, language.find('-'));
        push_event(
            gst_event_new_tag(gst_tag_list_new(GST_TAG_LANGUAGE_CODE, code.c_str(), nullptr)));
    }
}

void TextOutput::push_event(GstEvent* event) {
    const GstEventType type = GST_EVENT_TYPE(event);
    const bool lasting =
        type == GST_EVENT_STREAM_START || type == GST_EVENT_CAPS || type == GST_EVENT_TAG;
    TextItem item;
    item.event = owned(event);
    item.lasting = lasting;
    queue_.push(std::move(item));
}

void TextOutput::push_cue(Cue cue) {
    queue_.push({std::move(cue), nullptr, false});
}

void TextOutput::flush(GstEvent* event) {
    const bool begins = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START;
    if (begins) queue_.start_flushing();
    gst_pad_push_event(pad_, event);
    if (begins) {
        gst_pad_pause_task(pad_);
    } else {
        queue_.stop_flushing();
        start_task();
    }
}

void TextOutput::work() {
    const auto item = queue_.pop();
    if (!item) {
        gst_pad_pause_task(pad_);
        return;
    }
    if (!item->event) {
        push_text(item->cue);
        return;
    }
    auto* event = static_cast<GstEvent*>(item->event.get());
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) covered_ns_.reset();
    gst_pad_push_event(pad_, gst_event_ref(event));
}

/// Nobody reading is no error; whatever else downstream answers ends the text, never the video.
void TextOutput::push_text(const Cue& cue) {
    if (covered_ns_ && cue.start_ns > *covered_ns_) {  // cues between were thrown away
        gst_pad_push_event(
            pad_, gst_event_new_gap(static_cast<GstClockTime>(*covered_ns_),
                                    static_cast<GstClockTime>(cue.start_ns - *covered_ns_)));
    }
    covered_ns_ = cue.end_ns;
    if (cue.text.empty()) {
        gst_pad_push_event(pad_,
                           gst_event_new_gap(static_cast<GstClockTime>(cue.start_ns),
                                             static_cast<GstClockTime>(cue.end_ns - cue.start_ns)));
        return;
    }
    if (refused_) return;
    const GstFlowReturn flow = push_buffer(cue);
    if (flow != GST_FLOW_OK && flow != GST_FLOW_NOT_LINKED && flow != GST_FLOW_FLUSHING) {
        GST_WARNING_OBJECT(pad_, "no more caption text goes out here: downstream answered %s",
                           gst_flow_get_name(flow));
        refused_ = true;
    }
}

GstFlowReturn TextOutput::push_buffer(const Cue& cue) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, cue.text.size(), nullptr);
    gst_buffer_fill(buffer, 0, cue.text.data(), cue.text.size());
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(cue.start_ns);
    GST_BUFFER_DURATION(buffer) = static_cast<GstClockTime>(cue.end_ns - cue.start_ns);
    return gst_pad_push(pad_, buffer);
}

}  // namespace seesay::elements
