// The GObject face of Publisher: class, properties, the signal caption-event, start and stop.
#include "elements/publish/seesaypublish.hpp"

#include <gst/base/gstbasetransform.h>

#include <memory>
#include <mutex>
#include <string>

#include "elements/events/event_json.hpp"
#include "elements/events/publisher.hpp"
#include "elements/events/stream_name.hpp"
#include "elements/meta/seesay_meta.hpp"
#include "models/error.hpp"

GST_DEBUG_CATEGORY_STATIC(seesay_publish_debug);
#define GST_CAT_DEFAULT seesay_publish_debug

namespace seesay::elements {
namespace {

enum Property : guint {
    kEndpoint = 1,
    kStream,
    kBoundEndpoint,
    kRunId,
    kFrames,
    kCaptions,
    kDropped,
};

/// `publisher` exists between start and stop. The streaming thread reads it without the lock, which
/// start and stop exclude; whoever reads properties takes the lock.
struct PublishState {
    std::mutex mutex;
    std::string endpoint;
    std::string stream;  ///< as set; empty: the element's name
    std::unique_ptr<Publisher> publisher;
    std::shared_ptr<const PublishedStream> counters;  ///< of the last run, also after its end
    std::string bound_endpoint;
};

struct SeesayPublish {
    GstBaseTransform parent;
    PublishState* state;
};

struct SeesayPublishClass {
    GstBaseTransformClass parent_class;
};

guint caption_event_signal = 0;

}  // namespace

G_DEFINE_TYPE(SeesayPublish, seesay_publish, GST_TYPE_BASE_TRANSFORM)

namespace {

PublishState& state_of(gpointer object) {
    return *static_cast<SeesayPublish*>(object)->state;
}

std::string string_of(const GValue* value) {
    const gchar* text = g_value_get_string(value);
    return text == nullptr ? "" : text;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
    PublishState& state = state_of(object);
    const std::lock_guard lock(state.mutex);
    switch (id) {
        case kEndpoint:
            state.endpoint = string_of(value);
            return;
        case kStream:
            state.stream = string_of(value);
            return;
        default:
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
    PublishState& state = state_of(object);
    const std::lock_guard lock(state.mutex);
    const PublishedStream* run = state.counters.get();
    switch (id) {
        case kEndpoint:
            g_value_set_string(value, state.endpoint.c_str());
            return;
        case kStream:
            g_value_set_string(value, state.publisher ? run->name.c_str() : state.stream.c_str());
            return;
        case kBoundEndpoint:
            g_value_set_string(value, state.bound_endpoint.c_str());
            return;
        case kRunId:
            g_value_set_string(value, run != nullptr ? run->run_id.c_str() : "");
            return;
        case kFrames:
            g_value_set_uint64(value, run != nullptr ? run->frames.load() : 0);
            return;
        case kCaptions:
            g_value_set_uint64(value, run != nullptr ? run->captions.load() : 0);
            return;
        case kDropped:
            g_value_set_uint64(value, run != nullptr ? run->unsent.load() : 0);
            return;
        default:
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void finalize(GObject* object) {
    delete static_cast<SeesayPublish*>(static_cast<gpointer>(object))->state;
    G_OBJECT_CLASS(seesay_publish_parent_class)->finalize(object);
}

/// What the properties ask for: the endpoint, and the stream's name, which by default is the
/// element's.
std::pair<std::string, std::string> wanted(SeesayPublish* self) {
    const std::lock_guard lock(self->state->mutex);
    std::string stream = self->state->stream;
    if (stream.empty()) {
        gchar* name = gst_element_get_name(self);
        stream = stream_name_from(name);
        g_free(name);
    }
    return {self->state->endpoint, stream};
}

gboolean start(GstBaseTransform* base) {
    auto* self = reinterpret_cast<SeesayPublish*>(base);
    const auto [endpoint, stream] = wanted(self);
    try {
        auto publisher = std::make_unique<Publisher>(endpoint_registry(), endpoint, stream);
        const std::lock_guard lock(self->state->mutex);
        self->state->counters = publisher->counters();
        self->state->bound_endpoint = publisher->bound_endpoint();
        self->state->publisher = std::move(publisher);
    } catch (const Error& error) {
        GST_ELEMENT_ERROR(self, RESOURCE, OPEN_WRITE, ("%s", error.what()),
                          ("starting stream %s", stream.c_str()));
        return FALSE;
    } catch (const std::exception& error) {
        GST_ELEMENT_ERROR(self, RESOURCE, FAILED,
                          ("cannot publish on \"%s\": %s", endpoint.c_str(), error.what()),
                          ("starting stream %s", stream.c_str()));
        return FALSE;
    }
    const Publisher& publisher = *self->state->publisher;
    GST_INFO_OBJECT(self, "stream %s, run %s, endpoint %s", publisher.stream().c_str(),
                    publisher.run_id().c_str(),
                    endpoint.empty() ? "none" : publisher.bound_endpoint().c_str());
    if (publisher.open_to_network()) {
        GST_ELEMENT_WARNING(
            self, RESOURCE, SETTINGS,
            ("events on %s can be read by other machines without a key; bind a loopback address or "
             "an ipc path if that is not wanted",
             publisher.bound_endpoint().c_str()),
            (nullptr));
    }
    g_object_notify(G_OBJECT(self), "run-id");
    return TRUE;
}

gboolean stop(GstBaseTransform* base) {
    PublishState& state = state_of(base);
    std::unique_ptr<Publisher> publisher;
    {
        const std::lock_guard lock(state.mutex);
        publisher = std::move(state.publisher);
        state.bound_endpoint.clear();
    }
    return TRUE;  // the publisher goes here: its final status is sent, and the endpoint closes with
                  // its last user
}

/// Publishes the update and tells those who are connected to the signal. Throws what Publisher
/// throws.
void publish(SeesayPublish* self, const CaptionUpdate& update) {
    if (update.caption == nullptr) {
        throw Error("a caption update came without a caption");
    }
    nlohmann::ordered_json event = self->state->publisher->publish(update);
    GST_LOG_OBJECT(self, "%s", event["text"].get_ref<const std::string&>().c_str());
    if (g_signal_has_handler_pending(self, caption_event_signal, 0, TRUE) != FALSE) {
        add_attention_weights(event, *update.caption);
        g_signal_emit(self, caption_event_signal, 0, to_line(event).c_str());
    }
}

gboolean sink_event(GstBaseTransform* base, GstEvent* event) {
    auto* self = reinterpret_cast<SeesayPublish*>(base);
    if (self->state->publisher) {
        if (const auto update = parse_caption_update_event(event)) {
            try {
                publish(self, *update);
            } catch (const std::exception& error) {
                GST_ELEMENT_ERROR(self, RESOURCE, WRITE, ("%s", error.what()), (nullptr));
                gst_event_unref(event);
                return FALSE;
            }
        } else if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) {
            self->state->publisher->finish();
        }
    }
    return GST_BASE_TRANSFORM_CLASS(seesay_publish_parent_class)->sink_event(base, event);
}

GstFlowReturn transform_ip(GstBaseTransform* base, GstBuffer*) {
    reinterpret_cast<SeesayPublish*>(base)->state->publisher->count_frame();
    return GST_FLOW_OK;
}

constexpr auto kReadOnly = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
constexpr auto kSettable =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

void install_string(GObjectClass* klass, Property id, const char* name, const char* nick,
                    const char* blurb, GParamFlags flags) {
    g_object_class_install_property(klass, id, g_param_spec_string(name, nick, blurb, "", flags));
}

void install_counter(GObjectClass* klass, Property id, const char* name, const char* nick,
                     const char* blurb) {
    g_object_class_install_property(
        klass, id, g_param_spec_uint64(name, nick, blurb, 0, G_MAXUINT64, 0, kReadOnly));
}

void install_properties(GObjectClass* klass) {
    install_string(
        klass, kEndpoint, "endpoint", "Endpoint",
        "ZeroMQ endpoint to bind and publish on: tcp://HOST:PORT or ipc://PATH. Elements of a "
        "process may "
        "share one. Empty: no socket is opened, events are only made for the signal caption-event",
        kSettable);
    install_string(klass, kStream, "stream", "Stream",
                   "Name of the stream, 1 to 64 of the characters A-Z a-z 0-9 . _ -, which no "
                   "other stream of the "
                   "endpoint may have. Empty: the element's name, other characters replaced by _",
                   kSettable);
    install_string(klass, kBoundEndpoint, "bound-endpoint", "Bound endpoint",
                   "The endpoint as it is bound, with the port that was found where * was asked "
                   "for; empty while "
                   "stopped",
                   kReadOnly);
    install_string(
        klass, kRunId, "run-id", "Run id",
        "32 hexadecimal digits that mark all events of a run; new each time the element starts",
        kReadOnly);
    install_counter(klass, kFrames, "frames", "Frames", "Frames that passed in this run");
    install_counter(klass, kCaptions, "captions", "Captions", "Caption events made in this run");
    install_counter(
        klass, kDropped, "dropped", "Dropped events",
        "Events of this run that were not sent because the queue in front of the socket was full");
}

void install_pads(GstElementClass* klass) {
    GstCaps* caps = gst_caps_from_string("video/x-raw(ANY)");
    gst_element_class_add_pad_template(
        klass, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_element_class_add_pad_template(
        klass, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
}

}  // namespace

void seesay_publish_class_init(SeesayPublishClass* klass) {
    GST_DEBUG_CATEGORY_INIT(seesay_publish_debug, "seesaypublish", 0, "caption events over ZeroMQ");
    GObjectClass* object_class = G_OBJECT_CLASS(klass);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    install_properties(object_class);
    // The caption event as JSON (the object that goes over the wire, with attention.weights), for
    // each update, from the streaming thread. It is only made while somebody is connected.
    caption_event_signal =
        g_signal_new("caption-event", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, nullptr,
                     nullptr, nullptr, G_TYPE_NONE, 1, G_TYPE_STRING);
    GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
    install_pads(element_class);
    gst_element_class_set_static_metadata(element_class, "Seesay event publisher",
                                          "Filter/Analyzer/Video",
                                          "Publishes captions and their attention as events over "
                                          "ZeroMQ; video passes through untouched",
                                          "The seesay authors");
    GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
    transform_class->start = start;
    transform_class->stop = stop;
    transform_class->sink_event = sink_event;
    transform_class->transform_ip = transform_ip;
    transform_class->passthrough_on_same_caps = TRUE;
}

void seesay_publish_init(SeesayPublish* self) {
    self->state = new PublishState();
    gst_base_transform_set_in_place(GST_BASE_TRANSFORM(self), TRUE);
    gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), TRUE);
}

bool register_publish(GstPlugin* plugin) {
    const GType existing = g_type_from_name("SeesayPublish");
    return gst_element_register(plugin, "seesaypublish", GST_RANK_NONE,
                                existing != 0 ? existing : seesay_publish_get_type()) != FALSE;
}

}  // namespace seesay::elements
