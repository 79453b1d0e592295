// GObject boilerplate around FilmReader: caps, segment, duration, seeking, errors.
#include "elements/source/film_source.hpp"

#include <optional>
#include <utility>

#include "elements/source/frame_buffer.hpp"
#include "models/error.hpp"

GST_DEBUG_CATEGORY_STATIC(film_source_debug);
#define GST_CAT_DEFAULT film_source_debug

namespace seesay::elements {
namespace {

struct FilmSourceState {
    FilmSourceSetup setup;
    std::unique_ptr<FilmReader> reader;
    std::optional<GstVideoInfo> info;
    std::optional<FilmFrame> ready;  ///< decoded by a seek, not delivered yet
    bool interlaced = false;
    bool packed = true;  ///< downstream does not read GstVideoMeta
    bool oriented = false;
};

struct SeesayFilmSrc {
    GstPushSrc parent;
    FilmSourceState* state;
};
struct SeesayFilmSrcClass {
    GstPushSrcClass parent_class;
};

GType seesay_film_src_get_type();
G_DEFINE_TYPE(SeesayFilmSrc, seesay_film_src, GST_TYPE_PUSH_SRC)

SeesayFilmSrc& self_of(gpointer object) {
    return *static_cast<SeesayFilmSrc*>(object);
}

void post_error(GstElement* element, const char* message) {
    GST_ELEMENT_ERROR(element, STREAM, DECODE, ("%s", message), (nullptr));
}

gboolean start(GstBaseSrc* base) {
    FilmSourceState& state = *self_of(base).state;
    try {
        FilmInputOptions options;
        auto input = state.setup.input ? std::move(state.setup.input)
                                       : FilmInput::open(state.setup.location, options);
        const AVFieldOrder order = input->video().codecpar->field_order;
        state.interlaced = order == AV_FIELD_TT || order == AV_FIELD_BB || order == AV_FIELD_TB ||
                           order == AV_FIELD_BT;
        if (!input->choice().empty() && state.setup.on_notice)
            state.setup.on_notice(input->choice());
        state.reader =
            std::make_unique<FilmReader>(std::move(input), state.setup.threads, state.setup.tap);
    } catch (const std::exception& error) {
        GST_ELEMENT_ERROR(base, RESOURCE, OPEN_READ, ("%s", error.what()), (nullptr));
        return FALSE;
    }
    return TRUE;
}

gboolean stop(GstBaseSrc* base) {
    FilmSourceState& state = *self_of(base).state;
    state.reader.reset();
    state.info.reset();
    state.ready.reset();
    state.oriented = false;
    return TRUE;
}

Orientation exif_orientation(const AVFrame& frame) {
    const AVDictionaryEntry* tag = av_dict_get(frame.metadata, "Orientation", nullptr, 0);
    static constexpr std::array by_number{
        Orientation::Identity, Orientation::Identity,     Orientation::FlipHorizontal,
        Orientation::Half,     Orientation::FlipVertical, Orientation::UpperLeft,
        Orientation::Right90,  Orientation::UpperRight,   Orientation::Left90};
    const int number = tag == nullptr ? 1 : std::atoi(tag->value);
    return number >= 1 && number <= 8 ? by_number[number] : Orientation::Identity;
}

AVRational pixel_aspect(FilmSourceState& state, AVFrame& frame) {
    const FilmInput& input = state.reader->input();
    return av_guess_sample_aspect_ratio(&input.format(), &input.video(), &frame);
}

// Caps follow the frames; interlacing, once seen, stays announced as "mixed".
bool negotiate(GstBaseSrc* base, FilmSourceState& state, AVFrame& frame) {
    state.interlaced = state.interlaced || frame.interlaced_frame != 0;
    const FilmInput& input = state.reader->input();
    const AVRational rate = input.is_picture() ? AVRational{0, 1} : input.video().avg_frame_rate;
    const GstVideoInfo info = video_info(frame, pixel_aspect(state, frame), rate, state.interlaced);
    if (state.info && gst_video_info_is_equal(&*state.info, &info)) {
        return true;
    }
    GstVideoInfo changed = info;
    GstCaps* caps = gst_video_info_to_caps(&changed);
    const bool accepted =
        gst_base_src_set_caps(base, caps) != FALSE && gst_base_src_negotiate(base) != FALSE;
    gst_caps_unref(caps);
    state.info = info;
    return accepted;
}

void announce_orientation(FilmSourceState& state, const AVFrame& frame) {
    if (std::exchange(state.oriented, true) || !state.setup.on_orientation) {
        return;
    }
    const Orientation by_track = state.reader->input().orientation();
    state.setup.on_orientation(by_track != Orientation::Identity ? by_track
                                                                 : exif_orientation(frame));
}

GstFlowReturn finish(SeesayFilmSrc& self, FilmSourceState& state) {
    const FilmReport& report = state.reader->report();
    if (report.frames == 0) {
        const std::string text = state.reader->input().location() +
                                 ": no frames: its video track has no picture that can be decoded";
        post_error(GST_ELEMENT(&self), text.c_str());
        return GST_FLOW_ERROR;
    }
    if (state.setup.on_end) state.setup.on_end(report);
    return GST_FLOW_EOS;
}

GstFlowReturn create(GstPushSrc* push, GstBuffer** out) {
    auto& self = self_of(push);
    FilmSourceState& state = *self.state;
    try {
        std::optional<FilmFrame> decoded =
            state.ready ? std::exchange(state.ready, std::nullopt) : state.reader->next();
        if (!decoded) {
            return finish(self, state);
        }
        announce_orientation(state, *decoded->frame);
        if (!negotiate(GST_BASE_SRC(push), state, *decoded->frame)) {
            return GST_FLOW_NOT_NEGOTIATED;
        }
        const bool interlaced = decoded->frame->interlaced_frame != 0;
        const bool top_first = decoded->frame->top_field_first != 0;
        GstBuffer* buffer = frame_buffer(std::move(decoded->frame), *state.info, state.packed);
        if (interlaced) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
        if (interlaced && top_first) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
        GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(decoded->time_ns);
        GST_BUFFER_DURATION(buffer) = static_cast<GstClockTime>(decoded->duration_ns);
        *out = buffer;
        return GST_FLOW_OK;
    } catch (const std::exception& error) {
        post_error(GST_ELEMENT(push), error.what());
        return GST_FLOW_ERROR;
    }
}

gboolean decide_allocation(GstBaseSrc* base, GstQuery* query) {
    self_of(base).state->packed =
        gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr) == FALSE;
    return TRUE;
}

// The frames' caps are what is negotiated; there is nothing to choose.
gboolean negotiate_nothing(GstBaseSrc*) {
    return TRUE;
}

gboolean query(GstBaseSrc* base, GstQuery* asked) {
    FilmSourceState& state = *self_of(base).state;
    if (GST_QUERY_TYPE(asked) == GST_QUERY_DURATION && state.reader) {
        GstFormat format = GST_FORMAT_UNDEFINED;
        gst_query_parse_duration(asked, &format, nullptr);
        const std::int64_t duration = state.reader->input().duration_ns();
        if (format != GST_FORMAT_TIME || duration < 0) return FALSE;
        gst_query_set_duration(asked, GST_FORMAT_TIME, duration);
        return TRUE;
    }
    return GST_BASE_SRC_CLASS(seesay_film_src_parent_class)->query(base, asked);
}

gboolean is_seekable(GstBaseSrc* base) {
    const FilmSourceState& state = *self_of(base).state;
    return state.reader && !state.setup.tap && !state.reader->input().is_picture() &&
           state.reader->input().seekable();
}

gboolean do_seek(GstBaseSrc* base, GstSegment* segment) {
    FilmSourceState& state = *self_of(base).state;
    segment->position = segment->start;
    const bool from_start =
        segment->start == 0 && state.reader && state.reader->report().frames == 0;
    state.ready.reset();
    if (from_start || !state.reader) {
        return TRUE;
    }
    try {
        return state.reader->seek(static_cast<std::int64_t>(segment->start)) ? TRUE : FALSE;
    } catch (const std::exception& error) {
        post_error(GST_ELEMENT(base), error.what());
        return FALSE;
    }
}

void finalize(GObject* object) {
    delete self_of(object).state;
    G_OBJECT_CLASS(seesay_film_src_parent_class)->finalize(object);
}

void seesay_film_src_class_init(SeesayFilmSrcClass* klass) {
    GST_DEBUG_CATEGORY_INIT(film_source_debug, "seesayfilmsrc", 0, "reader of films and pictures");
    G_OBJECT_CLASS(klass)->finalize = finalize;
    auto* element = GST_ELEMENT_CLASS(klass);
    static GstStaticPadTemplate source_template =
        GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw"));
    gst_element_class_add_static_pad_template(element, &source_template);
    gst_element_class_set_static_metadata(element, "Film reader", "Source/Video",
                                          "Decoded video of a film or picture",
                                          "The seesay authors");
    auto* base = GST_BASE_SRC_CLASS(klass);
    base->start = start;
    base->stop = stop;
    base->query = query;
    base->negotiate = negotiate_nothing;
    base->decide_allocation = decide_allocation;
    base->is_seekable = is_seekable;
    base->do_seek = do_seek;
    GST_PUSH_SRC_CLASS(klass)->create = create;
}

void seesay_film_src_init(SeesayFilmSrc* self) {
    self->state = new FilmSourceState();
    gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
    gst_base_src_set_live(GST_BASE_SRC(self), FALSE);
}

}  // namespace

GstElement* new_film_source(FilmSourceSetup setup) {
    auto* self = static_cast<SeesayFilmSrc*>(g_object_new(seesay_film_src_get_type(), nullptr));
    self->state->setup = std::move(setup);
    return GST_ELEMENT(self);
}

}  // namespace seesay::elements
