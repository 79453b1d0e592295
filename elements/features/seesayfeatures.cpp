// The GObject face of FeatureStage: class, properties, pads, states.
#include "elements/features/seesayfeatures.hpp"

#include <exception>
#include <utility>

#include "elements/features/feature_stage.hpp"
#include "elements/features/frame_view_map.hpp"

namespace seesay::elements {
namespace {

enum Property : guint {
    kCaptionInterval = kFirstOwnProperty,
    kFrames,
    kSampled,
    kDroppedLate,
    kDroppedQueue,
};

constexpr double kLongestInterval = 86'400.0;

struct SeesayFeatures {
    GstElement parent;
    FeatureStage* stage;
};

struct SeesayFeaturesClass {
    GstElementClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(SeesayFeatures, seesay_features, GST_TYPE_ELEMENT)

namespace {

FeatureStage& stage_of(gpointer object) {
    return *static_cast<SeesayFeatures*>(object)->stage;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
    FeatureStage& stage = stage_of(object);
    if (id == kCaptionInterval) {
        stage.set_interval(g_value_get_double(value));
        return;
    }
    const std::lock_guard lock(stage.settings_mutex);
    if (!set_session_property(stage.settings, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
    FeatureStage& stage = stage_of(object);
    switch (id) {
        case kCaptionInterval:
            g_value_set_double(value, stage.interval());
            return;
        case kFrames:
            g_value_set_uint64(value, stage.frames);
            return;
        case kSampled:
            g_value_set_uint64(value, stage.sampled);
            return;
        case kDroppedLate:
            g_value_set_uint64(value, stage.dropped_late);
            return;
        case kDroppedQueue:
            g_value_set_uint64(value, stage.dropped_queue);
            return;
        default:
            break;
    }
    const std::lock_guard lock(stage.settings_mutex);
    if (!get_session_property(stage.settings, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
    FeatureStage& stage = stage_of(element);
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
        try {
            stage.open();
        } catch (const std::exception& error) {
            GST_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, ("%s", error.what()),
                              ("opening the encoder"));
            return GST_STATE_CHANGE_FAILURE;
        }
    } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
        stage.stop();
    }
    const GstStateChangeReturn result =
        GST_ELEMENT_CLASS(seesay_features_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
        (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
        stage.stop();
        stage.close();
    }
    return result;
}

void finalize(GObject* object) {
    delete static_cast<SeesayFeatures*>(static_cast<gpointer>(object))->stage;
    G_OBJECT_CLASS(seesay_features_parent_class)->finalize(object);
}

void install_counter(GObjectClass* object_class, Property id, const char* name, const char* nick,
                     const char* blurb) {
    g_object_class_install_property(
        object_class, id,
        g_param_spec_uint64(name, nick, blurb, 0, G_MAXUINT64, 0,
                            static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

void install_properties(GObjectClass* object_class) {
    install_session_properties(
        object_class,
        "Name or folder of the model package. A captioner's package stands for its encoder.");
    g_object_class_install_property(
        object_class, kCaptionInterval,
        g_param_spec_double(
            "caption-interval", "Caption interval",
            "Seconds of media time from one sampled frame to the next. 0 samples every frame.", 0.0,
            kLongestInterval, 1.0,
            static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                     GST_PARAM_MUTABLE_PLAYING)));
    install_counter(object_class, kFrames, "frames", "Frames",
                    "Frames that came in since the start.");
    install_counter(object_class, kSampled, "sampled", "Sampled frames",
                    "Frames that were handed to the encoder since the start.");
    install_counter(
        object_class, kDroppedLate, "dropped-late", "Frames dropped for lateness",
        "Due frames that were not sampled because downstream reported that frames come too late.");
    install_counter(object_class, kDroppedQueue, "dropped-queue", "Frames dropped for newer ones",
                    "Sampled frames that gave way to a newer one while the encoder was busy.");
}

void install_pad_templates(GstElementClass* element_class) {
    GstCaps* caps = viewable_caps();
    gst_element_class_add_pad_template(
        element_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_element_class_add_pad_template(
        element_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
}

}  // namespace

void seesay_features_class_init(SeesayFeaturesClass* klass) {
    GObjectClass* object_class = G_OBJECT_CLASS(klass);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    install_properties(object_class);
    GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
    element_class->change_state = change_state;
    install_pad_templates(element_class);
    gst_element_class_set_static_metadata(element_class, "Seesay grid features",
                                          "Filter/Analyzer/Video",
                                          "Encodes sampled frames with a convolutional network and "
                                          "hangs the grid features on the passing video, which "
                                          "stays as it is",
                                          "The seesay authors");
}

void seesay_features_init(SeesayFeatures* self) {
    GstElement* element = GST_ELEMENT(self);
    GstElementClass* klass = GST_ELEMENT_GET_CLASS(self);
    GstPad* sink =
        gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "sink"), "sink");
    GstPad* source =
        gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "src"), "src");
    self->stage = new FeatureStage(element, sink, source);
    gst_pad_set_chain_function(sink, [](GstPad*, GstObject* parent, GstBuffer* buffer) {
        return stage_of(parent).chain(buffer);
    });
    gst_pad_set_event_function(sink, [](GstPad*, GstObject* parent, GstEvent* event) {
        return stage_of(parent).sink_event(event);
    });
    gst_pad_set_event_function(source, [](GstPad*, GstObject* parent, GstEvent* event) {
        return stage_of(parent).source_event(event);
    });
    gst_pad_set_query_function(source, [](GstPad*, GstObject* parent, GstQuery* query) {
        return stage_of(parent).source_query(query);
    });
    GST_PAD_SET_PROXY_CAPS(sink);
    GST_PAD_SET_PROXY_ALLOCATION(sink);
    GST_PAD_SET_PROXY_CAPS(source);
    gst_element_add_pad(element, sink);
    gst_element_add_pad(element, source);
}

bool register_features(GstPlugin* plugin) {
    const GType existing = g_type_from_name("SeesayFeatures");
    return gst_element_register(plugin, "seesayfeatures", GST_RANK_NONE,
                                existing != 0 ? existing : seesay_features_get_type()) != FALSE;
}

void set_encoder_opener(GstElement* features, EncoderOpener opener) {
    stage_of(features).opener = std::move(opener);
}

}  // namespace seesay::elements
