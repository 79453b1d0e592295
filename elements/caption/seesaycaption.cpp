// The GObject face of CaptionStage: class, properties, pads, states.
#include "elements/caption/seesaycaption.hpp"

#include <exception>
#include <utility>

#include "elements/caption/caption_stage.hpp"
#include "elements/caption/text_output.hpp"

namespace seesay::elements {
namespace {

struct SeesayCaption {
    GstElement parent;
    CaptionStage* stage;
    GstPad* sink;
    guint next_text;  ///< number of the next text pad; under the object lock
};

struct SeesayCaptionClass {
    GstElementClass parent_class;
};

guint first_counter_id = 0;  ///< set once, in class_init

enum Counter : guint { kCaptions, kDroppedQueue };

}  // namespace

G_DEFINE_TYPE(SeesayCaption, seesay_caption, GST_TYPE_ELEMENT)

namespace {

CaptionStage& stage_of(gpointer object) {
    return *static_cast<SeesayCaption*>(object)->stage;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
    CaptionStage& stage = stage_of(object);
    const std::lock_guard lock(stage.settings_mutex);
    if (!set_caption_property(stage.settings, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
    CaptionStage& stage = stage_of(object);
    if (id == first_counter_id + kCaptions) {
        g_value_set_uint64(value, stage.captions);
        return;
    }
    if (id == first_counter_id + kDroppedQueue) {
        g_value_set_uint64(value, stage.dropped_queue);
        return;
    }
    const std::lock_guard lock(stage.settings_mutex);
    if (!get_caption_property(stage.settings, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
    CaptionStage& stage = stage_of(element);
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
        try {
            stage.open();
        } catch (const std::exception& error) {
            GST_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, ("%s", error.what()),
                              ("opening the captioner"));
            return GST_STATE_CHANGE_FAILURE;
        }
    } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
        stage.stop();
    }
    const GstStateChangeReturn result =
        GST_ELEMENT_CLASS(seesay_caption_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
        (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
        stage.stop();
        stage.close();
    }
    return result;
}

GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* name,
                        const GstCaps*) {
    auto* self = static_cast<SeesayCaption*>(static_cast<gpointer>(element));
    GST_OBJECT_LOCK(element);
    gchar* chosen = name != nullptr && g_strcmp0(name, "text_%u") != 0
                        ? g_strdup(name)
                        : g_strdup_printf("text_%u", self->next_text++);
    GST_OBJECT_UNLOCK(element);
    GstPad* pad = TextOutput::new_pad(pad_template, chosen, self->sink);
    g_free(chosen);
    gst_object_ref(pad);  // ours, should the element refuse the floating one
    if (gst_pad_is_active(self->sink)) gst_pad_set_active(pad, TRUE);
    if (!gst_element_add_pad(element, pad)) {
        gst_pad_set_active(pad, FALSE);
        gst_object_unref(pad);
        return nullptr;
    }
    self->stage->add_text_pad(pad);
    gst_object_unref(pad);
    return pad;
}

void release_pad(GstElement* element, GstPad* pad) {
    stage_of(element).remove_text_pad(pad);
    gst_pad_set_active(pad, FALSE);
    gst_element_remove_pad(element, pad);
}

/// Video goes from sink to source; the text pads are no way for video's events, queries and caps.
GstIterator* video_links(GstPad* pad, GstObject* parent) {
    GstPad* other =
        gst_element_get_static_pad(GST_ELEMENT(parent), GST_PAD_IS_SINK(pad) ? "src" : "sink");
    if (other == nullptr) return nullptr;
    GValue link = G_VALUE_INIT;
    g_value_init(&link, GST_TYPE_PAD);
    g_value_take_object(&link, other);
    GstIterator* links = gst_iterator_new_single(GST_TYPE_PAD, &link);
    g_value_unset(&link);
    return links;
}

void finalize(GObject* object) {
    delete static_cast<SeesayCaption*>(static_cast<gpointer>(object))->stage;
    G_OBJECT_CLASS(seesay_caption_parent_class)->finalize(object);
}

void install_counter(GObjectClass* object_class, Counter counter, const char* name,
                     const char* nick, const char* blurb) {
    g_object_class_install_property(
        object_class, first_counter_id + counter,
        g_param_spec_uint64(name, nick, blurb, 0, G_MAXUINT64, 0,
                            static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

void install_pad_templates(GstElementClass* element_class) {
    GstCaps* video = gst_caps_from_string("video/x-raw(ANY)");
    GstCaps* text = gst_caps_from_string("text/x-raw, format=(string)utf8");
    for (GstPadTemplate* pad_template :
         {gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, video),
          gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, video),
          gst_pad_template_new("text_%u", GST_PAD_SRC, GST_PAD_REQUEST, text),
          gst_pad_template_new("text", GST_PAD_SRC, GST_PAD_REQUEST, text)}) {
        gst_element_class_add_pad_template(element_class, pad_template);
    }
    gst_caps_unref(video);
    gst_caps_unref(text);
}

}  // namespace

void seesay_caption_class_init(SeesayCaptionClass* klass) {
    GObjectClass* object_class = G_OBJECT_CLASS(klass);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    first_counter_id = install_caption_properties(object_class);
    install_counter(object_class, kCaptions, "captions", "Captions",
                    "Frames that were captioned since the start, kept texts included.");
    install_counter(object_class, kDroppedQueue, "dropped-queue", "Frames dropped for newer ones",
                    "Sampled frames that gave way to a newer one while the captioner was busy.");
    GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
    element_class->change_state = change_state;
    element_class->request_new_pad = request_new_pad;
    element_class->release_pad = release_pad;
    install_pad_templates(element_class);
    gst_element_class_set_static_metadata(
        element_class, "Seesay captions", "Filter/Analyzer/Video",
        "Puts the features of sampled frames into words: hangs the caption that holds on every "
        "frame, sends an event "
        "for every decision, and gives the text out at request pads",
        "The seesay authors");
}

void seesay_caption_init(SeesayCaption* self) {
    GstElement* element = GST_ELEMENT(self);
    GstElementClass* klass = GST_ELEMENT_GET_CLASS(self);
    GstPad* sink =
        gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "sink"), "sink");
    GstPad* source =
        gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "src"), "src");
    self->stage = new CaptionStage(element, sink, source);
    self->sink = sink;
    gst_pad_set_chain_function(sink, [](GstPad*, GstObject* parent, GstBuffer* buffer) {
        return stage_of(parent).chain(buffer);
    });
    gst_pad_set_event_function(sink, [](GstPad*, GstObject* parent, GstEvent* event) {
        return stage_of(parent).sink_event(event);
    });
    gst_pad_set_query_function(source, [](GstPad*, GstObject* parent, GstQuery* query) {
        return stage_of(parent).source_query(query);
    });
    gst_pad_set_iterate_internal_links_function(sink, video_links);
    gst_pad_set_iterate_internal_links_function(source, video_links);
    GST_PAD_SET_PROXY_CAPS(sink);
    GST_PAD_SET_PROXY_ALLOCATION(sink);
    GST_PAD_SET_PROXY_CAPS(source);
    gst_element_add_pad(element, sink);
    gst_element_add_pad(element, source);
}

bool register_caption(GstPlugin* plugin) {
    const GType existing = g_type_from_name("SeesayCaption");
    return gst_element_register(plugin, "seesaycaption", GST_RANK_NONE,
                                existing != 0 ? existing : seesay_caption_get_type()) != FALSE;
}

void set_captioner_opener(GstElement* caption, CaptionerOpener opener) {
    stage_of(caption).opener = std::move(opener);
}

}  // namespace seesay::elements
