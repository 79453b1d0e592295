// Opening, probing and reading with libavformat, with deadlines and messages that name the file.
#include "elements/source/film_input.hpp"

#include <gst/gst.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "elements/source/still_picture.hpp"
#include "elements/source/unreadable.hpp"
#include "models/error.hpp"

GST_DEBUG_CATEGORY_STATIC(film_input_debug);
#define GST_CAT_DEFAULT film_input_debug

namespace seesay::elements {
namespace {

constexpr std::chrono::minutes kFetchDeadline{60};  // for a remote file that is fetched first

// libav would print its warnings on the terminal; they belong into the debug log.
void log_to_gstreamer(void*, int level, const char* format, va_list arguments) {
    const GstDebugLevel gst_level = level <= AV_LOG_ERROR     ? GST_LEVEL_INFO
                                    : level <= AV_LOG_WARNING ? GST_LEVEL_DEBUG
                                                              : GST_LEVEL_TRACE;
    if (gst_debug_category_get_threshold(film_input_debug) < gst_level) {
        return;
    }
    std::array<char, 512> line{};
    std::vsnprintf(line.data(), line.size(), format, arguments);
    GST_CAT_LEVEL_LOG(film_input_debug, gst_level, nullptr, "libav: %s", g_strchomp(line.data()));
}

void prepare_libav() {
    static std::once_flag once;
    std::call_once(once, [] {
        GST_DEBUG_CATEGORY_INIT(film_input_debug, "seesayfilm", 0, "films read with libavformat");
        av_log_set_callback(log_to_gstreamer);
        avformat_network_init();
    });
}

// Demuxers that take any text or bytes for character graphics or for a play list: never a film.
bool is_impostor(const AVInputFormat& format) {
    static constexpr std::array<std::string_view, 8> names{"tty",  "bin",        "adf",  "idf",
                                                           "xbin", "ffmetadata", "data", "txd"};
    for (const auto name : names) {
        if (name == format.name) return true;
    }
    return false;
}

bool is_picture_format(const AVInputFormat& format) {
    const std::string_view name(format.name);
    return name == "image2" || name.ends_with("_pipe");
}

bool can_be_decoded(const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
           (stream.disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS)) ==
               0 &&
           stream.discard != AVDISCARD_ALL;
}

// What can be said of a local file without opening it.
void check_file(const std::string& path) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (!std::filesystem::exists(status)) {
        throw Error(path + ": no such file" +
                    (failed && failed.value() != ENOENT ? " (" + failed.message() + ")" : ""));
    }
    if (std::filesystem::is_directory(status)) {
        throw Error(path + ": is a folder; name a film or a picture in it");
    }
    if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, failed) == 0 &&
        !failed) {
        throw Error(path + ": the file is empty");
    }
}

// `otherwise`: what to say where the file's first bytes tell nothing.
[[noreturn]] void refuse(const std::string& location, const std::string& path,
                         const char* otherwise) {
    const std::string reason = path.empty() ? std::string() : describe_unreadable(path);
    throw Error(location + ": not a film or picture that can be read: " +
                (reason.empty() ? otherwise : reason));
}

std::string describe_track(const AVStream& stream) {
    return "track " + std::to_string(stream.index) + " (" +
           avcodec_get_name(stream.codecpar->codec_id) + ", " +
           std::to_string(stream.codecpar->width) + "x" + std::to_string(stream.codecpar->height) +
           ")";
}

}  // namespace

std::string local_path(const std::string& location) {
    if (location == "-") {
        return {};
    }
    if (gst_uri_is_valid(location.c_str()) && !std::filesystem::exists(location)) {
        if (!location.starts_with("file:")) {
            return {};
        }
        gchar* name = g_filename_from_uri(location.c_str(), nullptr, nullptr);
        const std::string path = name == nullptr ? location.substr(5) : name;
        g_free(name);
        return path;
    }
    return location;
}

std::unique_ptr<FilmInput> FilmInput::open(const std::string& location,
                                           const FilmInputOptions& options) {
    prepare_libav();
    std::unique_ptr<FilmInput> input(new FilmInput());
    input->location_ = location;
    input->options_ = options;
    input->open_format(options);
    input->choose_video_track();
    input->find_origin();
    return input;
}

int FilmInput::interrupted(void* self) {
    const auto& input = *static_cast<const FilmInput*>(self);
    if (input.options_.stop != nullptr && input.options_.stop->load()) {
        return 1;
    }
    return std::chrono::steady_clock::now() > input.deadline_ ? 1 : 0;
}

void FilmInput::open_format(const FilmInputOptions& options) {
    std::string path = local_path(location_);
    if (!path.empty()) check_file(path);
    deadline_ = std::chrono::steady_clock::now() + options.open_deadline;
    AVDictionary* settings = nullptr;
    if (is_http_address(location_)) {
        deadline_ += kFetchDeadline;
        copy_ = fetch_without_ranges(location_, {interrupted, this}, options.open_deadline);
        if (copy_) path = copy_->path();
        deadline_ = std::chrono::steady_clock::now() + options.open_deadline;
    }
    const std::string url = location_ == "-" ? "pipe:0" : path.empty() ? location_ : "file:" + path;
    // A picture's name is a name, not a pattern for a sequence of pictures.
    av_dict_set(&settings, "pattern_type", "none", 0);
    AVFormatContext* context = avformat_alloc_context();
    context->interrupt_callback = {interrupted, this};
    const int opened = avformat_open_input(&context, url.c_str(), nullptr, &settings);
    av_dict_free(&settings);
    if (opened == AVERROR_INVALIDDATA || opened == AVERROR_EOF) {
        refuse(location_, path,
               "unknown format, or its index is missing (an unfinished or cut recording?)");
    }
    if (opened < 0) {
        throw Error(location_ + ": cannot be opened: " +
                    (path.empty() ? network_reason(opened) : libav_error(opened)));
    }
    format_.reset(context);
    if (is_impostor(*format_->iformat)) refuse(location_, path, "unknown format");
    is_picture_ =
        is_picture_format(*format_->iformat) && (path.empty() || !is_animated_picture(path));
    const int found = avformat_find_stream_info(format_.get(), nullptr);
    if (found < 0) {
        throw Error(location_ + ": cannot be read: " + libav_error(found));
    }
}

void FilmInput::choose_video_track() {
    int candidates = 0;
    int chosen = -1;
    bool covers = false;
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
        const AVStream& stream = *format_->streams[i];
        covers = covers || (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
        if (!can_be_decoded(stream)) continue;
        ++candidates;
        const bool is_default = (stream.disposition & AV_DISPOSITION_DEFAULT) != 0;
        const bool had_default =
            chosen >= 0 && (format_->streams[chosen]->disposition & AV_DISPOSITION_DEFAULT) != 0;
        if (chosen < 0 || (is_default && !had_default)) chosen = static_cast<int>(i);
    }
    if (chosen < 0) {
        throw Error(location_ + ": no video track (" + format_->iformat->name + " with " +
                    std::to_string(format_->nb_streams) + " other track(s)" +
                    (covers ? ", a cover picture among them" : "") + "); captions need pictures");
    }
    const AVStream& stream = *format_->streams[chosen];
    if (avcodec_find_decoder(stream.codecpar->codec_id) == nullptr) {
        throw Error(location_ + ": no decoder for its video (" +
                    avcodec_get_name(stream.codecpar->codec_id) + ")");
    }
    if (stream.codecpar->width <= 0 || stream.codecpar->height <= 0) {
        throw Error(location_ + ": no picture in its video track (" +
                    avcodec_get_name(stream.codecpar->codec_id) +
                    ") can be decoded; it may be damaged or have no frames");
    }
    video_track_ = chosen;
    if (candidates > 1) {
        choice_ = "of " + std::to_string(candidates) + " video tracks, " + describe_track(stream) +
                  " is captioned";
        if (format_->nb_programs > 1) {
            const AVProgram* program = av_find_program_from_stream(format_.get(), nullptr, chosen);
            const AVDictionaryEntry* name =
                program == nullptr ? nullptr
                                   : av_dict_get(program->metadata, "service_name", nullptr, 0);
            choice_ += ", of programme " + std::string(name != nullptr ? name->value : "1");
        }
    }
}

void FilmInput::find_origin() {
    const std::int64_t video_start = video().start_time;
    if ((format_->iformat->flags & AVFMT_TS_DISCONT) != 0 &&
        format_->start_time != AV_NOPTS_VALUE) {
        origin_ns_ = av_rescale_q(format_->start_time, AV_TIME_BASE_Q, kNanoseconds);
    } else if (video_start != AV_NOPTS_VALUE && video_start < 0) {
        origin_ns_ = av_rescale_q(video_start, video().time_base, kNanoseconds);
    }
}

bool FilmInput::seekable() const {
    return (format_->pb != nullptr && (format_->pb->seekable & AVIO_SEEKABLE_NORMAL) != 0) ||
           (is_picture_ && location_ != "-");
}

std::int64_t FilmInput::duration_ns() const {
    if (is_picture_ || format_->duration == AV_NOPTS_VALUE || format_->duration <= 0) {
        return -1;
    }
    return av_rescale_q(format_->duration, AV_TIME_BASE_Q, kNanoseconds);
}

bool FilmInput::duration_is_promised() const {
    return duration_ns() > 0 && format_->duration_estimation_method == AVFMT_DURATION_FROM_STREAM &&
           (format_->iformat->flags & AVFMT_TS_DISCONT) == 0;
}

std::int64_t FilmInput::frame_duration_ns() const {
    const AVRational rate = video().avg_frame_rate;
    if (rate.num <= 0 || rate.den <= 0) {
        return 40'000'000;
    }
    return std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(rate), kNanoseconds));
}

Orientation FilmInput::orientation() const {
    const auto* matrix = reinterpret_cast<const std::int32_t*>(
        av_stream_get_side_data(&video(), AV_PKT_DATA_DISPLAYMATRIX, nullptr));
    if (matrix == nullptr) {
        return Orientation::Identity;
    }
    // A mirrored matrix is a horizontal flip after which the rest is a plain turn.
    std::array<std::int32_t, 9> turned{};
    std::memcpy(turned.data(), matrix, sizeof turned);
    const double determinant =
        static_cast<double>(turned[0]) * turned[4] - static_cast<double>(turned[1]) * turned[3];
    const bool mirrored = determinant < 0;
    if (mirrored) av_display_matrix_flip(turned.data(), 1, 0);
    const double angle = -av_display_rotation_get(turned.data());
    if (std::isnan(angle)) {
        return Orientation::Identity;
    }
    const int quarter = ((static_cast<int>(std::lround(angle / 90.0)) % 4) + 4) % 4;
    static constexpr std::array plain{Orientation::Identity, Orientation::Right90,
                                      Orientation::Half, Orientation::Left90};
    static constexpr std::array flipped{Orientation::FlipHorizontal, Orientation::UpperRight,
                                        Orientation::FlipVertical, Orientation::UpperLeft};
    return mirrored ? flipped[quarter] : plain[quarter];
}

std::int64_t FilmInput::film_time_ns(std::int64_t time_stamp, const AVStream& stream) const {
    if (time_stamp == AV_NOPTS_VALUE) {
        return AV_NOPTS_VALUE;
    }
    return av_rescale_q(time_stamp, stream.time_base, kNanoseconds) - origin_ns_;
}

FilmInput::Read FilmInput::read(AVPacket& packet) {
    deadline_ = std::chrono::steady_clock::now() + options_.read_deadline;
    const int result = av_read_frame(format_.get(), &packet);
    if (result >= 0) {
        return Read::Packet;
    }
    if (options_.stop != nullptr && options_.stop->load()) {
        return Read::Stopped;
    }
    if (result == AVERROR_EOF &&
        (format_->pb == nullptr || format_->pb->error >= 0 || format_->pb->error == AVERROR_EOF)) {
        return Read::End;
    }
    error_ = libav_error(result == AVERROR_EOF ? format_->pb->error : result);
    return Read::Damaged;
}

}  // namespace seesay::elements
