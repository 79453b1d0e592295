// FilmWriter's description of tracks: parameters, flags, languages, tags, chapters.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "pipeline/film_writer.hpp"
#include "pipeline/matroska_delay.hpp"

namespace seesay::pipeline {
namespace {

using elements::FilmInput;
using elements::kNanoseconds;

void set_extradata(AVCodecParameters& parameters, const std::uint8_t* bytes, std::size_t size) {
    av_freep(&parameters.extradata);
    parameters.extradata_size = 0;
    if (size == 0) return;
    parameters.extradata =
        static_cast<std::uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
    if (parameters.extradata == nullptr) throw Error("no memory for a track description");
    std::memcpy(parameters.extradata, bytes, size);
    parameters.extradata_size = static_cast<int>(size);
}

void erase_tag(AVDictionary** tags, const char* key) {
    av_dict_set(tags, key, nullptr, 0);
}

// A tag that another container uses for the same codec must not be carried over.
std::uint32_t carried_tag(const AVOutputFormat& format, const AVCodecParameters& parameters) {
    if (format.codec_tag == nullptr || parameters.codec_tag == 0) return 0;
    return av_codec_get_id(format.codec_tag, parameters.codec_tag) == parameters.codec_id
               ? parameters.codec_tag
               : 0;
}

void copy_side_data(const AVStream& source, AVStream& target, bool with_matrix) {
    for (int i = 0; i < source.nb_side_data; ++i) {
        const AVPacketSideData& data = source.side_data[i];
        if (data.type == AV_PKT_DATA_DISPLAYMATRIX && !with_matrix) continue;
        std::uint8_t* copy = av_stream_new_side_data(&target, data.type, data.size);
        if (copy != nullptr) std::memcpy(copy, data.data, data.size);
    }
}

// How far a track begins before zero, nanoseconds: with samples that a decoder throws away.
std::int64_t lead(const AVStream& stream, const FilmInput& input) {
    const AVIndexEntry* first = avformat_index_get_entry(const_cast<AVStream*>(&stream), 0);
    std::int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    if (first != nullptr) start = std::min(start, first->timestamp);
    return std::max<std::int64_t>(
        0, input.origin_ns() - av_rescale_q(start, stream.time_base, kNanoseconds));
}

// The sample description of MP4 timed text (3GPP TS 26.245): text at the bottom, white, in one
// font.
constexpr std::array<std::uint8_t, 48> kTimedText{
    0,    0,    0,    0,                        // display flags
    1,    0xFF,                                 // centred, at the bottom
    0,    0,    0,    0,                        // background: transparent
    0,    0,    0,    0,    0,   0,   0,   0,   // text box: where the player likes
    0,    0,    0,    0,    0,   1,   0,   16,  // style of all characters: font 1, plain, size 16
    0xFF, 0xFF, 0xFF, 0xFF,                     // white
    0,    0,    0,    18,   'f', 't', 'a', 'b', 0, 1,  // font table with one entry
    0,    1,    5,    'A',  'r', 'i', 'a', 'l'};

// A finer clock with the source's ticks among its own, so that repaired times between them can be
// told.
AVRational finer(AVRational time_base) {
    if (time_base.num != 1 && time_base.den % time_base.num == 0)
        time_base = {1, time_base.den / time_base.num};
    const std::int64_t factor =
        time_base.den >= 10'000 ? 1 : (10'000 + time_base.den - 1) / time_base.den;
    return {1, static_cast<int>(std::min<std::int64_t>(time_base.den * factor, 1'000'000'000))};
}

}  // namespace

AVStream& FilmWriter::add_track() {
    AVStream* stream = avformat_new_stream(format_.get(), nullptr);
    if (stream == nullptr) throw Error("no memory for a track");
    return *stream;
}

void FilmWriter::add_tracks(const FilmInput& input) {
    video_input_ = input.video_track();
    video_time_base_ = input.video().time_base;
    origin_ns_ = input.origin_ns();
    copied_.resize(input.format().nb_streams);
    av_dict_copy(&format_->metadata, input.format().metadata, 0);
    for (const char* key :
         {"major_brand", "minor_version", "compatible_brands", "encoder", "ENCODER", "duration"}) {
        erase_tag(&format_->metadata, key);
    }
    for (const PlannedTrack& plan : options_.plan.tracks) {
        const AVStream& stream = *input.format().streams[plan.input];
        switch (plan.fate) {
            case TrackFate::Burned:
                add_burned(input, stream);
                break;
            case TrackFate::Copy:
            case TrackFate::Attachment:
                add_copied(input, stream, plan);
                break;
            case TrackFate::Rebuilt:
            case TrackFate::Dropped:
                break;
        }
    }
    copy_chapters(input);
}

void FilmWriter::add_stream_track() {
    AVStream& track = add_track();
    burned_track_ = track.index;
    track.codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    track.time_base = video_time_base_ = {1, 90'000};
    track.disposition = AV_DISPOSITION_DEFAULT;
}

void FilmWriter::add_copied(const FilmInput& input, const AVStream& stream,
                            const PlannedTrack& plan) {
    AVStream& track = add_track();
    AVCodecParameters& parameters = *track.codecpar;
    if (avcodec_parameters_copy(&parameters, stream.codecpar) < 0)
        throw Error("no memory for a track description");
    parameters.codec_tag = carried_tag(*format_->oformat, parameters);
    track.time_base = stream.time_base;
    track.avg_frame_rate = stream.avg_frame_rate;
    track.r_frame_rate = stream.r_frame_rate;
    track.sample_aspect_ratio = stream.sample_aspect_ratio;
    track.disposition = stream.disposition;
    av_dict_copy(&track.metadata, stream.metadata, 0);
    copy_side_data(stream, track, true);
    CopiedTrack& copied = copied_[static_cast<std::size_t>(stream.index)];
    if (plan.fate == TrackFate::Attachment) {
        set_extradata(parameters, stream.attached_pic.data,
                      static_cast<std::size_t>(stream.attached_pic.size));
        parameters.codec_type = AVMEDIA_TYPE_ATTACHMENT;
        track.disposition = 0;
        const bool png = parameters.codec_id == AV_CODEC_ID_PNG;
        av_dict_set(&track.metadata, "mimetype", png ? "image/png" : "image/jpeg",
                    AV_DICT_DONT_OVERWRITE);
        av_dict_set(&track.metadata, "filename", png ? "cover.png" : "cover.jpg",
                    AV_DICT_DONT_OVERWRITE);
        return;
    }
    if (parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT) {
        return;  // it lies in the track description
    }
    if (options_.container != Container::Mp4 && parameters.codec_type == AVMEDIA_TYPE_AUDIO) {
        add_delay(track, copied, lead(stream, input));
    }
    copied.output = track.index;
    copied.time_base = stream.time_base;
    copied.origin = av_rescale_q(input.origin_ns(), kNanoseconds, stream.time_base);
}

// libavformat 59 tells Matroska's codec delay only of Opus, and then does not count from it.
void FilmWriter::add_delay(AVStream& track, CopiedTrack& copied, std::int64_t delay_ns) {
    AVCodecParameters& parameters = *track.codecpar;
    if (parameters.codec_id == AV_CODEC_ID_OPUS && parameters.initial_padding > 0) {
        delay_ns =
            std::max(delay_ns, av_rescale(parameters.initial_padding, 1'000'000'000, 48'000));
    }
    parameters.initial_padding = 0;
    if (delay_ns <= 0 || delay_ns > 2'000'000'000) {
        return;
    }
    copied.delay_ns = delay_ns;
    const AVDictionaryEntry* title = av_dict_get(track.metadata, "title", nullptr, 0);
    const std::string name =
        (title == nullptr ? std::string() : title->value) + delay_marker(track.index);
    av_dict_set(&track.metadata, "title", name.c_str(), 0);
}

void FilmWriter::set_delays() {
    for (const CopiedTrack& track : copied_) {
        if (track.delay_ns > 0 && !replace_delay_marker(part_, track.output, track.delay_ns)) {
            throw Error(options_.output.string() + ": its audio delay cannot be written");
        }
    }
}

void FilmWriter::add_burned(const FilmInput& input, const AVStream& stream) {
    AVStream& track = add_track();
    burned_track_ = track.index;
    track.codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    track.time_base = finer(stream.time_base);
    if (!input.is_picture()) track.avg_frame_rate = stream.avg_frame_rate;
    track.disposition = stream.disposition;
    av_dict_copy(&track.metadata, stream.metadata, 0);
    for (const char* key :
         {"encoder", "ENCODER", "rotate", "alpha_mode", "DURATION", "BPS", "NUMBER_OF_BYTES"}) {
        erase_tag(&track.metadata, key);
    }
}

void FilmWriter::describe_burned(const BurnedVideo& video) {
    const std::lock_guard lock(mutex_);
    if (header_written_) {
        return;
    }
    AVStream& track = *format_->streams[burned_track_];
    AVCodecParameters& parameters = *track.codecpar;
    parameters.codec_id = video.codec;
    parameters.format = AV_PIX_FMT_YUV420P;
    parameters.width = video.width;
    parameters.height = video.height;
    parameters.sample_aspect_ratio = track.sample_aspect_ratio = video.pixel_aspect;
    parameters.field_order = AV_FIELD_PROGRESSIVE;
    parameters.color_range = video.range;
    parameters.color_primaries = video.primaries;
    parameters.color_trc = video.transfer;
    parameters.color_space = video.matrix;
    parameters.chroma_location = video.chroma;
    set_extradata(parameters, video.extradata.data(), video.extradata.size());
    write_header();
}

void FilmWriter::add_caption_track() {
    AVStream& track = add_track();
    caption_track_ = track.index;
    AVCodecParameters& parameters = *track.codecpar;
    parameters.codec_type = AVMEDIA_TYPE_SUBTITLE;
    track.time_base = {1, 1000};
    if (options_.container == Container::Mp4) {
        parameters.codec_id = AV_CODEC_ID_MOV_TEXT;
        set_extradata(parameters, kTimedText.data(), kTimedText.size());
    } else {
        parameters.codec_id = AV_CODEC_ID_SUBRIP;
    }
    // Burned captions must not be shown twice; without them the track is what the film is about.
    track.disposition = options_.burn ? 0 : AV_DISPOSITION_DEFAULT;
    if (!options_.burn) {
        for (int i = 0; i < track.index; ++i) {
            AVStream& other = *format_->streams[i];
            if (other.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE)
                other.disposition &= ~AV_DISPOSITION_DEFAULT;
        }
    }
    av_dict_set(&track.metadata, "language", options_.caption_language.c_str(), 0);
    av_dict_set(&track.metadata, "title", options_.caption_title.c_str(), 0);
    if (options_.container == Container::Mp4) {
        av_dict_set(&track.metadata, "handler_name", options_.caption_title.c_str(), 0);
    }
}

void FilmWriter::copy_chapters(const FilmInput& input) {
    const AVFormatContext& source = input.format();
    if (source.nb_chapters == 0) {
        return;
    }
    format_->chapters = static_cast<AVChapter**>(av_calloc(source.nb_chapters, sizeof(AVChapter*)));
    if (format_->chapters == nullptr) throw Error("no memory for chapters");
    for (unsigned i = 0; i < source.nb_chapters; ++i) {
        const AVChapter& from = *source.chapters[i];
        auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
        if (chapter == nullptr) throw Error("no memory for chapters");
        const std::int64_t origin = av_rescale_q(input.origin_ns(), kNanoseconds, from.time_base);
        chapter->id = from.id;
        chapter->time_base = from.time_base;
        chapter->start = std::max<std::int64_t>(0, from.start - origin);
        chapter->end = std::max<std::int64_t>(0, from.end - origin);
        av_dict_copy(&chapter->metadata, from.metadata, 0);
        format_->chapters[format_->nb_chapters++] = chapter;
    }
}

}  // namespace seesay::pipeline
