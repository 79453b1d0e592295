// FilmInput: a film or picture opened with libavformat; which track is captioned, and on which
// clock its times are.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "elements/source/libav_pointers.hpp"
#include "elements/source/remote_file.hpp"

namespace seesay::elements {

/// What a film's display matrix or EXIF tag asks for, as the values of GstVideoOrientationMethod.
enum class Orientation {
    Identity,
    Right90,
    Half,
    Left90,
    FlipHorizontal,
    FlipVertical,
    UpperLeft,
    UpperRight
};

struct FilmInputOptions {
    std::chrono::milliseconds open_deadline{10'000};  ///< for opening and probing
    std::chrono::milliseconds read_deadline{
        20'000};                              ///< silence of a network file that ends reading
    const std::atomic<bool>* stop = nullptr;  ///< gives up when true; must outlive the input
};

/// An opened input. Not thread-safe: whoever reads packets has it to himself.
class FilmInput {
 public:
    /// `location`: a path, a `file:` URI, an URL that libavformat opens, or `-` (standard input).
    /// Throws Error for whatever is not a film or picture: missing, empty, text, unknown, without a
    /// video track, without a decoder.
    static std::unique_ptr<FilmInput> open(const std::string& location,
                                           const FilmInputOptions& options = {});

    FilmInput(const FilmInput&) = delete;
    FilmInput& operator=(const FilmInput&) = delete;
    ~FilmInput() = default;

    [[nodiscard]] const std::string& location() const { return location_; }
    [[nodiscard]] AVFormatContext& format() const { return *format_; }
    [[nodiscard]] AVStream& video() const { return *format_->streams[video_track_]; }
    [[nodiscard]] int video_track() const { return video_track_; }
    /// One sentence where there was a choice of video tracks or programmes; else empty.
    [[nodiscard]] const std::string& choice() const { return choice_; }

    [[nodiscard]] bool is_picture() const { return is_picture_; }  ///< a single still
    [[nodiscard]] bool seekable() const;  ///< false for pipes and endless sources
    /// Film time = libavformat's time − origin. 0 unless the container's clock starts anywhere
    /// (MPEG-TS, MPEG-PS) or its first picture lies before zero.
    [[nodiscard]] std::int64_t origin_ns() const { return origin_ns_; }
    [[nodiscard]] std::int64_t duration_ns() const;  ///< −1 where unknown
    /// Whether the duration is what the container's header promises, not an estimate.
    [[nodiscard]] bool duration_is_promised() const;
    [[nodiscard]] std::int64_t frame_duration_ns()
        const;                                      ///< by the average rate; 40 ms where unknown
    [[nodiscard]] Orientation orientation() const;  ///< by the track's display matrix

    /// Film time of a time stamp of `stream`; AV_NOPTS_VALUE stays.
    [[nodiscard]] std::int64_t film_time_ns(std::int64_t time_stamp, const AVStream& stream) const;

    enum class Read { Packet, End, Damaged, Stopped };
    /// The next packet of any track, in file order. `Damaged`: reading broke off before the end;
    /// `error()` says why.
    Read read(AVPacket& packet);
    [[nodiscard]] const std::string& error() const { return error_; }

 private:
    FilmInput() = default;
    static int interrupted(void* self);
    void open_format(const FilmInputOptions& options);
    void choose_video_track();
    void find_origin();

    std::string location_;
    std::unique_ptr<TemporaryCopy> copy_;  ///< of a remote file that must be read locally
    FormatInput format_;
    int video_track_ = -1;
    std::string choice_;
    std::string error_;
    bool is_picture_ = false;
    std::int64_t origin_ns_ = 0;
    FilmInputOptions options_;
    std::chrono::steady_clock::time_point deadline_;
};

/// The path that a location names: itself or, for a `file:` URI, its decoded path. Empty for other
/// URIs and `-`.
std::string local_path(const std::string& location);

}  // namespace seesay::elements
