// The bin: one of the two inputs, then conversion, deinterlacing and turning, each idle where there
// is nothing to do.
#include "elements/source/seesaysource.hpp"

#include <gst/video/video.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include "elements/source/film_source.hpp"
#include "elements/source/finite_input.hpp"
#include "elements/source/remote_file.hpp"
#include "elements/source/stream_input.hpp"

GST_DEBUG_CATEGORY_STATIC(seesay_source_debug);
#define GST_CAT_DEFAULT seesay_source_debug

namespace seesay::elements {
namespace {

enum class Reader { Auto, Film, Stream };

constexpr guint kDefaultTimeout = 15;  // seconds

// The 8-bit formats that FrameView knows, without alpha. The first is what others are converted to.
GstStaticCaps source_caps = GST_STATIC_CAPS(
    "video/x-raw, format=(string){ I420, NV12, YV12, NV21, Y42B, Y444, GRAY8, RGB, BGR, RGBx, "
    "BGRx, xRGB, xBGR }");

struct SourceState {
    std::mutex mutex;
    std::string uri;
    Reader reader = Reader::Auto;
    int threads = 0;
    guint timeout = kDefaultTimeout;
    std::unique_ptr<FilmInput> input;
    FilmReader::Tap tap;
    GstElement* reader_element = nullptr;  // owned by the bin, like all elements here
    GstElement* convert = nullptr;
    GstElement* deinterlace = nullptr;
    GstElement* turn = nullptr;  // only once a turned picture came
    GstPad* output = nullptr;
    std::unique_ptr<StreamInput> stream;
    FilmReport report;
};

struct SeesaySource {
    GstBin parent;
    SourceState* state;
};
struct SeesaySourceClass {
    GstBinClass parent_class;
};

GType seesay_source_get_type();
G_DEFINE_TYPE(SeesaySource, seesay_source, GST_TYPE_BIN)

enum Property { kUri = 1, kReader, kThreads, kTimeout, kStats };

SourceState& state_of(gpointer object) {
    return *static_cast<SeesaySource*>(object)->state;
}

GType reader_get_type() {
    static const GEnumValue values[] = {
        {static_cast<gint>(Reader::Auto),
         "Files, also those on HTTP servers, as films; everything else as streams", "auto"},
        {static_cast<gint>(Reader::Film), "A finite film or picture, read with libavformat",
         "film"},
        {static_cast<gint>(Reader::Stream), "A stream, played with urisourcebin and parsebin",
         "stream"},
        {0, nullptr, nullptr}};
    static const GType type = g_enum_register_static("SeesaySourceReader", values);
    return type;
}

void post_notice(gpointer self, const std::string& text) {
    GST_ELEMENT_WARNING(GST_ELEMENT(self), STREAM, DECODE, ("%s", text.c_str()), (nullptr));
}

void warn_about(SeesaySource* self, const FilmReport& report) {
    const auto number = [](std::uint64_t count) { return std::to_string(count); };
    if (report.repaired > 0) {
        post_notice(self, number(report.repaired) + " of " + number(report.frames) +
                              " frames had no time of their own, repeated one or jumped back; "
                              "their times were repaired");
    }
    if (report.without_times) {
        post_notice(self, "it has no times of its own; " + report.assumed_rate +
                              " frames a second are assumed");
    }
    if (report.before_first > 0) {
        post_notice(self, number(report.before_first) +
                              " packets before the first clean picture could not be decoded");
    }
    if (report.undecodable > 0) {
        post_notice(self, number(report.undecodable) + " damaged pictures were left out");
    }
}

// videoflip takes fewer formats than we do (no Y42B), so it stands in the way only where it is
// needed, with a converter of its own. Called on the streaming thread that feeds it, so nothing is
// in flight while links change.
void turn_pictures(SeesaySource* self, gint direction) {
    SourceState& state = *self->state;
    if (direction == GST_VIDEO_ORIENTATION_IDENTITY && state.turn == nullptr) {
        return;
    }
    if (state.turn == nullptr) {
        GstElement* convert = gst_element_factory_make("videoconvert", nullptr);
        state.turn = gst_element_factory_make("videoflip", nullptr);
        gst_bin_add_many(GST_BIN(self), convert, state.turn, nullptr);
        gst_ghost_pad_set_target(GST_GHOST_PAD(state.output), nullptr);
        gst_element_link_many(state.deinterlace, convert, state.turn, nullptr);
        GstPad* last = gst_element_get_static_pad(state.turn, "src");
        gst_ghost_pad_set_target(GST_GHOST_PAD(state.output), last);
        gst_object_unref(last);
        gst_element_sync_state_with_parent(state.turn);
        gst_element_sync_state_with_parent(convert);
    }
    g_object_set(state.turn, "video-direction", direction, nullptr);
}

GstPadProbeReturn on_stream_event(GstPad*, GstPadProbeInfo* info, gpointer self) {
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
        GstTagList* tags = nullptr;
        gst_event_parse_tag(event, &tags);
        GstVideoOrientationMethod direction = GST_VIDEO_ORIENTATION_IDENTITY;
        if (gst_video_orientation_from_tag(tags, &direction))
            turn_pictures(static_cast<SeesaySource*>(self), direction);
    }
    return GST_PAD_PROBE_OK;
}

bool reads_film(const SourceState& state) {
    if (state.input) return true;
    if (state.reader != Reader::Auto) return state.reader == Reader::Film;
    const std::string path = local_path(state.uri);
    std::error_code failed;
    // Devices belong to GStreamer; what does not exist is reported by the film reader.
    return state.uri == "-" || (!path.empty() && !std::filesystem::is_character_file(path, failed));
}

void add_film(SeesaySource* self, SourceState& state) {
    FilmSourceSetup setup;
    setup.location = state.uri;
    setup.input = std::move(state.input);
    setup.threads = state.threads;
    setup.tap = state.tap;
    setup.on_orientation = [self](Orientation orientation) {
        turn_pictures(self, static_cast<gint>(orientation));
    };
    setup.on_notice = [self](const std::string& text) { post_notice(self, text); };
    setup.on_end = [self](const FilmReport& report) {
        {
            const std::lock_guard lock(state_of(self).mutex);
            state_of(self).report = report;
        }
        warn_about(self, report);
    };
    state.reader_element = new_film_source(std::move(setup));
}

void add_stream(SeesaySource* self, SourceState& state) {
    std::string uri = state.uri;
    if (!gst_uri_is_valid(uri.c_str())) {
        gchar* made = gst_filename_to_uri(uri.c_str(), nullptr);
        uri = made == nullptr ? uri : made;
        g_free(made);
    }
    state.reader_element = gst_bin_new("stream");
    state.stream = std::make_unique<StreamInput>(GST_BIN(state.reader_element), uri);
    state.stream->on_notice = [self](const std::string& text) { post_notice(self, text); };
    GstPad* pad = gst_element_get_static_pad(state.reader_element, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_stream_event, self, nullptr);
    gst_object_unref(pad);
}

bool build(SeesaySource* self) {
    SourceState& state = *self->state;
    if (state.output == nullptr) {
        GST_ELEMENT_ERROR(self, CORE, MISSING_PLUGIN,
                          ("videoconvert, deinterlace or videoflip is missing; install GStreamer's "
                           "base and good plugins"),
                          (nullptr));
        return false;
    }
    if (state.uri.empty() && !state.input) {
        GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND,
                          ("no input: set the property uri of seesaysource"), (nullptr));
        return false;
    }
    try {
        // Whether an address has an end shows when it is opened.
        if (!state.input && state.reader == Reader::Auto && is_http_address(state.uri))
            state.input = open_finite(state.uri);
    } catch (const std::exception& error) {
        GST_ELEMENT_ERROR(self, RESOURCE, OPEN_READ, ("%s", error.what()), (nullptr));
        return false;
    }
    if (reads_film(state)) {
        add_film(self, state);
    } else {
        add_stream(self, state);
    }
    gst_bin_add(GST_BIN(self), state.reader_element);
    return gst_element_link(state.reader_element, state.convert) != FALSE;
}

// Inputs are made anew for each start.
void tear_down(SeesaySource* self) {
    SourceState& state = *self->state;
    state.stream.reset();
    if (state.reader_element != nullptr) {
        gst_element_set_state(state.reader_element, GST_STATE_NULL);
        gst_bin_remove(GST_BIN(self), std::exchange(state.reader_element, nullptr));
    }
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
    auto* self = reinterpret_cast<SeesaySource*>(element);
    SourceState& state = *self->state;
    if (transition == GST_STATE_CHANGE_NULL_TO_READY && !build(self)) {
        return GST_STATE_CHANGE_FAILURE;
    }
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && state.stream) {
        state.stream->watch(state.timeout * GST_SECOND);
    }
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && state.stream) {
        state.stream->stop_watching();
    }
    const GstStateChangeReturn result =
        GST_ELEMENT_CLASS(seesay_source_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_READY_TO_NULL) {
        tear_down(self);
    }
    return result;
}

GstStructure* new_stats(SourceState& state) {
    const std::lock_guard lock(state.mutex);
    FilmReport report = state.report;
    if (state.stream) {
        report.undecodable = state.stream->damaged();
        report.repaired = state.stream->repaired();
    }
    return gst_structure_new("stats", "frames", G_TYPE_UINT64, report.frames, "damaged",
                             G_TYPE_UINT64, report.undecodable, "before-first", G_TYPE_UINT64,
                             report.before_first, "repaired-times", G_TYPE_UINT64, report.repaired,
                             nullptr);
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
    SourceState& state = state_of(object);
    switch (id) {
        case kUri: {
            const gchar* uri = g_value_get_string(value);
            state.uri = uri == nullptr ? "" : uri;
            break;
        }
        case kReader:
            state.reader = static_cast<Reader>(g_value_get_enum(value));
            break;
        case kThreads:
            state.threads = g_value_get_int(value);
            break;
        case kTimeout:
            state.timeout = g_value_get_uint(value);
            break;
        default:
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
    SourceState& state = state_of(object);
    switch (id) {
        case kUri:
            g_value_set_string(value, state.uri.c_str());
            break;
        case kReader:
            g_value_set_enum(value, static_cast<gint>(state.reader));
            break;
        case kThreads:
            g_value_set_int(value, state.threads);
            break;
        case kTimeout:
            g_value_set_uint(value, state.timeout);
            break;
        case kStats:
            g_value_take_boxed(value, new_stats(state));
            break;
        default:
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void finalize(GObject* object) {
    delete static_cast<SeesaySource*>(static_cast<gpointer>(object))->state;
    G_OBJECT_CLASS(seesay_source_parent_class)->finalize(object);
}

void install_properties(GObjectClass* object) {
    constexpr auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                    GST_PARAM_MUTABLE_READY);
    g_object_class_install_property(
        object, kUri,
        g_param_spec_string(
            "uri", "URI",
            "Film, picture, device or stream to read: a URI, a path, or - for standard input",
            nullptr, flags));
    g_object_class_install_property(
        object, kReader,
        g_param_spec_enum("reader", "Reader", "How the input is read", reader_get_type(),
                          static_cast<gint>(Reader::Auto), flags));
    g_object_class_install_property(
        object, kThreads,
        g_param_spec_int("threads", "Threads",
                         "Threads of a film's video decoder (0: one for each processor core)", 0,
                         64, 0, flags));
    g_object_class_install_property(
        object, kTimeout,
        g_param_spec_uint("timeout", "Time-out",
                          "Seconds that a stream may take until its video track appears", 1, 3600,
                          kDefaultTimeout, flags));
    g_object_class_install_property(
        object, kStats,
        g_param_spec_boxed("stats", "Statistics",
                           "Frames delivered (of a film, at its end), damaged pictures left out, "
                           "packets before the first clean "
                           "picture, frames whose time was repaired",
                           GST_TYPE_STRUCTURE,
                           static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

void seesay_source_class_init(SeesaySourceClass* klass) {
    GST_DEBUG_CATEGORY_INIT(seesay_source_debug, "seesaysource", 0,
                            "any input as decoded, upright video");
    auto* object = G_OBJECT_CLASS(klass);
    object->set_property = set_property;
    object->get_property = get_property;
    object->finalize = finalize;
    install_properties(object);
    auto* element = GST_ELEMENT_CLASS(klass);
    element->change_state = change_state;
    gst_element_class_add_pad_template(element,
                                       gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                                                            gst_static_caps_get(&source_caps)));
    gst_element_class_set_static_metadata(
        element, "Seesay source", "Source/Video",
        "Reads a film, picture, device or stream; gives its first (or default) video track "
        "decoded, upright, deinterlaced "
        "and with strictly rising times",
        "The seesay authors");
}

// videoconvert, deinterlace and videoflip pass frames through untouched where there is nothing to
// do.
void seesay_source_init(SeesaySource* self) {
    self->state = new SourceState();
    SourceState& state = *self->state;
    state.convert = gst_element_factory_make("videoconvert", nullptr);
    state.deinterlace = gst_element_factory_make("deinterlace", nullptr);
    GstElement* formats = gst_element_factory_make("capsfilter", nullptr);
    GstElementFactory* flip = gst_element_factory_find("videoflip");
    if (state.convert == nullptr || formats == nullptr || state.deinterlace == nullptr ||
        flip == nullptr) {
        return;  // told when the element is started
    }
    gst_object_unref(flip);
    GstCaps* caps = gst_static_caps_get(&source_caps);
    g_object_set(formats, "caps", caps, nullptr);
    gst_caps_unref(caps);
    g_object_set(state.convert, "n-threads", 0U, nullptr);
    gst_util_set_object_arg(G_OBJECT(state.deinterlace), "fields",
                            "top");  // one frame out for each frame in
    gst_util_set_object_arg(G_OBJECT(state.deinterlace), "method", "greedyl");
    gst_bin_add_many(GST_BIN(self), state.convert, formats, state.deinterlace, nullptr);
    gst_element_link_many(state.convert, formats, state.deinterlace, nullptr);
    GstPad* last = gst_element_get_static_pad(state.deinterlace, "src");
    state.output = gst_ghost_pad_new("src", last);
    gst_element_add_pad(GST_ELEMENT(self), state.output);
    gst_object_unref(last);
}

}  // namespace

gboolean register_source(GstPlugin* plugin) {
    // A second copy of the plugin in the process shares the type of the first.
    const GType existing = g_type_from_name("SeesaySource");
    return gst_element_register(plugin, "seesaysource", GST_RANK_NONE,
                                existing != 0 ? existing : seesay_source_get_type());
}

GstElement* new_source() {
    return GST_ELEMENT(g_object_new(seesay_source_get_type(), nullptr));
}

void set_film_input(GstElement* source, std::unique_ptr<FilmInput> input, FilmReader::Tap tap) {
    SourceState& state = state_of(source);
    state.input = std::move(input);
    state.tap = std::move(tap);
}

FilmReport film_report(GstElement* source) {
    SourceState& state = state_of(source);
    const std::lock_guard lock(state.mutex);
    return state.report;
}

}  // namespace seesay::elements
