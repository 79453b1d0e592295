// What fits where, as libavformat's muxers see it.
#include "pipeline/track_plan.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace seesay::pipeline {
namespace {

using elements::FilmInput;

bool holds(const char* muxer, const AVCodecParameters& parameters) {
    // Animated pictures are containers of their own: alone, their packets are not decodable, though
    // Matroska takes them.
    const AVCodecID codec = parameters.codec_id;
    if (codec == AV_CODEC_ID_GIF || codec == AV_CODEC_ID_APNG || codec == AV_CODEC_ID_WEBP) {
        return false;
    }
    const AVOutputFormat* format = av_guess_format(muxer, nullptr, nullptr);
    return format != nullptr &&
           avformat_query_codec(format, parameters.codec_id, FF_COMPLIANCE_EXPERIMENTAL) == 1;
}

bool holds(Container container, const AVStream& stream) {
    const AVCodecParameters& parameters = *stream.codecpar;
    const AVMediaType type = parameters.codec_type;
    if (type == AVMEDIA_TYPE_ATTACHMENT) {
        return container == Container::Matroska;
    }
    if (type != AVMEDIA_TYPE_VIDEO && type != AVMEDIA_TYPE_AUDIO && type != AVMEDIA_TYPE_SUBTITLE) {
        return false;
    }
    switch (container) {
        case Container::Mp4:
            return holds("mp4", parameters);
        case Container::Matroska:
            return holds("matroska", parameters);
        case Container::WebM:
            return parameters.codec_id == AV_CODEC_ID_VP8 ||
                   parameters.codec_id == AV_CODEC_ID_VP9 ||
                   parameters.codec_id == AV_CODEC_ID_AV1 ||
                   parameters.codec_id == AV_CODEC_ID_OPUS ||
                   parameters.codec_id == AV_CODEC_ID_VORBIS;
    }
    return false;
}

std::string who_holds(const AVStream& stream) {
    if (holds(Container::Matroska, stream)) return "an .mkv can hold it";
    if (holds(Container::Mp4, stream)) return "an .mp4 can hold it";
    return "no container that seesay writes can hold it";
}

const char* kind_of(const AVStream& stream) {
    const char* name = av_get_media_type_string(stream.codecpar->codec_type);
    return name == nullptr ? "unknown" : name;
}

std::string describe(const AVStream& stream) {
    std::string text = std::string(kind_of(stream)) + " track " + std::to_string(stream.index) +
                       " (" + avcodec_get_name(stream.codecpar->codec_id);
    for (const char* key : {"language", "title", "filename"}) {
        const AVDictionaryEntry* entry = av_dict_get(stream.metadata, key, nullptr, 0);
        if (entry != nullptr) text += std::string(", ") + entry->value;
    }
    return text + ")";
}

// Ogg Skeleton: what players may know of the other tracks beforehand. It is nothing of the film's.
bool is_skeleton(const FilmInput& input, const AVStream& stream) {
    return std::string_view(input.format().iformat->name) == "ogg" &&
           stream.codecpar->codec_type == AVMEDIA_TYPE_DATA &&
           stream.codecpar->codec_id == AV_CODEC_ID_NONE;
}

// Tracks that the muxer makes anew from chapters and tags, or that the new film does not need.
bool is_rebuilt(const FilmInput& input, const AVStream& stream) {
    return stream.discard == AVDISCARD_ALL || is_skeleton(input, stream) ||
           stream.codecpar->codec_tag == MKTAG('t', 'm', 'c', 'd') ||
           (stream.disposition & AV_DISPOSITION_TIMED_THUMBNAILS) != 0;
}

TrackFate fate_of(const FilmInput& input, const AVStream& stream, Container container,
                  bool copy_video) {
    if (is_rebuilt(input, stream)) return TrackFate::Rebuilt;
    if (stream.index == input.video_track() && !copy_video) return TrackFate::Burned;
    if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 && container != Container::Mp4) {
        return container == Container::Matroska ? TrackFate::Attachment : TrackFate::Dropped;
    }
    return holds(container, stream) ? TrackFate::Copy : TrackFate::Dropped;
}

}  // namespace

Container container_of(const std::filesystem::path& output) {
    std::string extension = output.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".mp4" || extension == ".m4v" || extension == ".mov") return Container::Mp4;
    if (extension == ".mkv") return Container::Matroska;
    if (extension == ".webm") return Container::WebM;
    throw UsageError(
        output.string() +
        ": the name must end in .mp4, .mkv or .webm to say what kind of film to write");
}

const char* muxer_name(Container container, const std::filesystem::path& output) {
    switch (container) {
        case Container::Mp4:
            return output.extension() == ".mov" ? "mov" : "mp4";
        case Container::Matroska:
            return "matroska";
        case Container::WebM:
            return "webm";
    }
    return "matroska";
}

TrackPlan plan_tracks(const FilmInput& input, Container container, bool copy_video) {
    TrackPlan plan;
    for (unsigned i = 0; i < input.format().nb_streams; ++i) {
        const AVStream& stream = *input.format().streams[i];
        PlannedTrack track{static_cast<int>(i), fate_of(input, stream, container, copy_video), -1};
        if (track.fate == TrackFate::Dropped && track.input == input.video_track()) {
            throw Error(input.location() + ": its video (" +
                        avcodec_get_name(stream.codecpar->codec_id) +
                        ") cannot be copied into this kind of film; " + who_holds(stream));
        }
        if (track.fate == TrackFate::Dropped) {
            plan.dropped.push_back(describe(stream) + " is left out; " + who_holds(stream));
        } else if (track.fate != TrackFate::Rebuilt) {
            track.output = plan.outputs++;
        }
        plan.tracks.push_back(track);
    }
    return plan;
}

}  // namespace seesay::pipeline
