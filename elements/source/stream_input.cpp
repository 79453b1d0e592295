// Pads come and go here on streaming threads; the choice of the video track is made under one lock.
#include "elements/source/stream_input.hpp"

#include <gst/video/video.h>

#include <utility>

namespace seesay::elements {
namespace {

bool is_media(GstCaps* caps, const char* prefix) {
    return caps != nullptr && !gst_caps_is_any(caps) && gst_caps_get_size(caps) > 0 &&
           g_str_has_prefix(gst_structure_get_name(gst_caps_get_structure(caps, 0)), prefix);
}

bool has_property(GstElement* element, const char* name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name) != nullptr;
}

}  // namespace

StreamInput::StreamInput(GstBin* bin, const std::string& uri)
    : bin_(bin), output_(gst_ghost_pad_new_no_target("src", GST_PAD_SRC)), uri_(uri) {
    gst_element_add_pad(GST_ELEMENT(bin_), output_);
    GstElement* source = add("urisourcebin");
    if (source == nullptr) return;
    g_object_set(source, "uri", uri.c_str(), nullptr);
    g_signal_connect(source, "pad-added", G_CALLBACK(on_source_pad), this);
}

StreamInput::~StreamInput() {
    stop_watching();
}

GstElement* StreamInput::add(const char* factory) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (element == nullptr) {
        fail(std::string("the GStreamer element ") + factory +
             " is missing; install the base and good plugins");
        return nullptr;
    }
    gst_bin_add(bin_, element);
    gst_element_sync_state_with_parent(element);
    return element;
}

void StreamInput::fail(const std::string& message) {
    GST_ELEMENT_ERROR(GST_ELEMENT(bin_), STREAM, FAILED, ("%s: %s", uri_.c_str(), message.c_str()),
                      (nullptr));
}

void StreamInput::watch(GstClockTime deadline) {
    GstClock* clock = gst_system_clock_obtain();
    deadline_ = gst_clock_new_single_shot_id(clock, gst_clock_get_time(clock) + deadline);
    gst_clock_id_wait_async(deadline_, on_deadline, this, nullptr);
    gst_object_unref(clock);
}

void StreamInput::stop_watching() {
    if (deadline_ != nullptr) {
        gst_clock_id_unschedule(deadline_);
        gst_clock_id_unref(deadline_);
        deadline_ = nullptr;
    }
}

gboolean StreamInput::on_deadline(GstClock*, GstClockTime, GstClockID, gpointer self_pointer) {
    auto& self = *static_cast<StreamInput*>(self_pointer);
    const std::lock_guard lock(self.mutex_);
    if (!self.has_video_) {
        self.fail(
            "no video came within the time allowed; is the address right, and is there a video "
            "track?");
    }
    return TRUE;
}

void StreamInput::on_source_pad(GstElement*, GstPad* pad, gpointer self_pointer) {
    auto& self = *static_cast<StreamInput*>(self_pointer);
    GstElement* parser = self.add("parsebin");
    if (parser == nullptr) return;
    {
        const std::lock_guard lock(self.mutex_);
        ++self.open_parsers_;
    }
    g_signal_connect(parser, "pad-added", G_CALLBACK(on_parsed_pad), self_pointer);
    g_signal_connect(parser, "drained", G_CALLBACK(on_drained), self_pointer);
    g_signal_connect(parser, "unknown-type", G_CALLBACK(on_unknown_type), self_pointer);
    GstPad* sink = gst_element_get_static_pad(parser, "sink");
    if (gst_pad_link(pad, sink) != GST_PAD_LINK_OK) self.fail("its data cannot be parsed");
    gst_object_unref(sink);
}

void StreamInput::on_parsed_pad(GstElement*, GstPad* pad, gpointer self_pointer) {
    auto& self = *static_cast<StreamInput*>(self_pointer);
    GstCaps* caps = gst_pad_get_current_caps(pad);
    if (caps == nullptr) caps = gst_pad_query_caps(pad, nullptr);
    const bool video = is_media(caps, "video/") || is_media(caps, "image/");
    bool take = false;
    {
        const std::lock_guard lock(self.mutex_);
        take = video && !self.has_video_;
        self.has_video_ = self.has_video_ || video;
    }
    if (take) {
        self.take_video(pad, caps);
    } else {
        if (video && self.on_notice)
            self.on_notice("there is more than one video track; the first is captioned");
        self.discard(pad);
    }
    gst_caps_unref(caps);
}

void StreamInput::on_drained(GstElement*, gpointer self_pointer) {
    auto& self = *static_cast<StreamInput*>(self_pointer);
    bool none = false;
    {
        const std::lock_guard lock(self.mutex_);
        none = --self.open_parsers_ == 0 && !self.has_video_;
    }
    if (none) self.fail("no video track; captions need pictures");
}

// Also raised for tracks beside a video track that nobody can parse: those are left out.
void StreamInput::on_unknown_type(GstElement*, GstPad*, GstCaps* caps, gpointer self_pointer) {
    auto& self = *static_cast<StreamInput*>(self_pointer);
    const bool alone = is_media(caps, "text/") || is_media(caps, "application/");
    const std::lock_guard lock(self.mutex_);
    if (alone && !self.has_video_) {
        self.fail(std::string("not a film or stream that can be played (") +
                  gst_structure_get_name(gst_caps_get_structure(caps, 0)) + ")");
    }
}

// A probe in place of a sink: a fakesink would hold up the demuxer's one thread until all sinks
// have prerolled.
void StreamInput::discard(GstPad* pad) {
    gst_pad_add_probe(
        pad,
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
        [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_DROP; }, nullptr, nullptr);
}

// Software decoders by rank: memory of graphics cards cannot be read by the elements that follow.
GstElement* StreamInput::make_decoder(GstCaps* caps) {
    GList* all =
        gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_DECODER, GST_RANK_MARGINAL);
    GList* able = gst_element_factory_list_filter(all, caps, GST_PAD_SINK, FALSE);
    able = g_list_sort(able, gst_plugin_feature_rank_compare_func);
    GstElement* decoder = nullptr;
    for (GList* item = able; item != nullptr && decoder == nullptr; item = item->next) {
        auto* factory = GST_ELEMENT_FACTORY(item->data);
        const gchar* kind = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);
        if (kind == nullptr || g_strrstr(kind, "Hardware") == nullptr)
            decoder = gst_element_factory_create(factory, nullptr);
    }
    gst_plugin_feature_list_free(able);
    gst_plugin_feature_list_free(all);
    return decoder;
}

void StreamInput::take_video(GstPad* pad, GstCaps* caps) {
    GstPad* decoded = nullptr;
    if (is_media(caps, "video/x-raw")) {
        decoded = GST_PAD(gst_object_ref(pad));
    } else {
        GstElement* decoder = make_decoder(caps);
        if (decoder == nullptr) {
            fail(std::string("no decoder for its video (") +
                 gst_structure_get_name(gst_caps_get_structure(caps, 0)) + ")");
            return;
        }
        // avdec_* would hand out grey pictures before the first clean key frame.
        if (has_property(decoder, "output-corrupt"))
            g_object_set(decoder, "output-corrupt", FALSE, nullptr);
        gst_bin_add(bin_, decoder);
        GstPad* sink = gst_element_get_static_pad(decoder, "sink");
        const bool linked = gst_pad_link(pad, sink) == GST_PAD_LINK_OK;
        gst_object_unref(sink);
        if (!linked) {
            fail("its video cannot be linked to a decoder");
            return;
        }
        decoded = gst_element_get_static_pad(decoder, "src");
        gst_element_sync_state_with_parent(decoder);
    }
    gst_pad_add_probe(decoded, GST_PAD_PROBE_TYPE_BUFFER, on_decoded, this, nullptr);
    if (!gst_ghost_pad_set_target(GST_GHOST_PAD(output_), decoded))
        fail("its decoded video cannot be linked");
    gst_object_unref(decoded);
}

GstPadProbeReturn StreamInput::on_decoded(GstPad*, GstPadProbeInfo* info, gpointer self_pointer) {
    auto& self = *static_cast<StreamInput*>(self_pointer);
    GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED) ||
        GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DECODE_ONLY)) {
        ++self.damaged_;
        return GST_PAD_PROBE_DROP;
    }
    const GstClockTime pts = GST_BUFFER_PTS(buffer);
    const auto stated = GST_CLOCK_TIME_IS_VALID(pts)
                            ? std::optional<std::int64_t>(static_cast<std::int64_t>(pts))
                            : std::nullopt;
    const std::int64_t time = self.times_.repair(stated);
    if (!stated || *stated != time) {
        buffer = gst_buffer_make_writable(buffer);
        GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(time);
        info->data = buffer;
        ++self.repaired_;
        if (!std::exchange(self.repair_told_, true) && self.on_notice) {
            self.on_notice(
                "some frames come without a time, repeat one or jump back; their times are "
                "repaired");
        }
    }
    return GST_PAD_PROBE_OK;
}

}  // namespace seesay::elements
