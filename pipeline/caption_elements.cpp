// Elements and their properties.
#include "pipeline/caption_elements.hpp"

#include <array>
#include <utility>

#include "elements/static_plugin.hpp"
#include "models/error.hpp"

namespace seesay::pipeline {
namespace {

using EventHandler = std::function<void(const std::string&)>;

GstElement* make(GstElement* bin, const char* factory) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (element == nullptr) {
        throw Error(std::string("the GStreamer element ") + factory +
                    " cannot be made; run `seesay doctor`");
    }
    gst_bin_add(GST_BIN(bin), element);
    return element;
}

void set(GstElement* element, const char* property, const std::string& value) {
    gst_util_set_object_arg(G_OBJECT(element), property, value.c_str());
}

void set_session(GstElement* element, const CaptionJob& job) {
    g_object_set(element, "package", job.package.c_str(), "device", job.device.c_str(), "threads",
                 job.threads, nullptr);
    set(element, "mode", job.mode);
}

void on_caption_event(GstElement*, const gchar* line, gpointer handler) {
    (*static_cast<EventHandler*>(handler))(line);
}

void delete_handler(gpointer handler, GClosure*) {
    delete static_cast<EventHandler*>(handler);
}

void add_ghost(GstElement* bin, const char* name, GstElement* inner) {
    GstPad* pad = gst_element_get_static_pad(inner, name);
    gst_element_add_pad(bin, gst_ghost_pad_new(name, pad));
    gst_object_unref(pad);
}

}  // namespace

GstElement* new_caption_elements(const CaptionJob& job, const std::string& stream,
                                 EventHandler on_event) {
    elements::register_seesay_elements();
    GstElement* bin = gst_bin_new("caption");
    try {
        GstElement* features = make(bin, "seesayfeatures");
        GstElement* caption = make(bin, "seesaycaption");
        set_session(features, job);
        set_session(caption, job);
        g_object_set(features, "caption-interval", job.interval, nullptr);
        g_object_set(caption, "beam", job.beam, nullptr);
        GstElement* last = caption;
        gst_element_link(features, caption);
        // Nothing is drawn where nobody will see the picture.
        if (job.burn && !job.output.empty()) {
            GstElement* overlay = make(bin, "seesayoverlay");
            set(overlay, "attention", job.attention);
            gst_element_link(caption, overlay);
            last = overlay;
        }
        GstElement* publish = make(bin, "seesaypublish");
        g_object_set(publish, "endpoint", job.publish.c_str(), "stream", stream.c_str(), nullptr);
        if (on_event) {
            g_signal_connect_data(publish, "caption-event", G_CALLBACK(on_caption_event),
                                  new EventHandler(std::move(on_event)), delete_handler,
                                  static_cast<GConnectFlags>(0));
        }
        gst_element_link(last, publish);
        add_ghost(bin, "sink", features);
        add_ghost(bin, "src", publish);
    } catch (...) {
        gst_object_unref(bin);
        throw;
    }
    return bin;
}

}  // namespace seesay::pipeline
