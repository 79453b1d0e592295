// FilmReader: decodes the chosen video track of a FilmInput, frame by frame, with repaired times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "elements/source/film_input.hpp"
#include "elements/source/frame_conversion.hpp"
#include "elements/source/timestamp_repair.hpp"

namespace seesay::elements {

/// Pixels. Of larger pictures (beyond 4K) decoder, queues and encoder hold as few as they can.
constexpr std::int64_t kHugePicture = 4096 * 2304;

/// A decoded picture in a format that `passes`.
struct FilmFrame {
    Frame frame;
    std::int64_t time_ns = 0;      ///< film time, strictly rising
    std::int64_t duration_ns = 0;  ///< to the next frame; of the last one, as the container says
};

/// What decoding met so far.
struct FilmReport {
    std::uint64_t frames = 0;
    std::uint64_t undecodable =
        0;  ///< packets or pictures that were damaged and left out, after the first good frame
    std::uint64_t before_first = 0;  ///< packets before the first picture that could be decoded
    bool without_times = false;      ///< the format has no times; a rate was assumed
    std::uint64_t repaired = 0;      ///< frames whose time was missing, repeated or jumped back
    std::string assumed_rate;        ///< frames a second, where there are no times
    std::int64_t end_ns = 0;         ///< end of the last frame, film time
    std::int64_t read_until_ns = 0;  ///< end of the last packet of any track, film time
    std::string broken_off;          ///< why reading ended early; empty where it did not
};

class FilmReader {
 public:
    /// Sees every packet of every track in file order, before it is decoded.
    using Tap = std::function<void(const AVPacket&, const AVStream&)>;

    /// Pictures with more pixels are refused: 8K and a little more.
    static constexpr std::int64_t kMaximumPixels = 64 * 1024 * 1024;

    /// `threads`: of the decoder, 0 for one a core. Throws Error where no decoder can be opened.
    FilmReader(std::unique_ptr<FilmInput> input, int threads, Tap tap = nullptr);

    /// The next frame, or nothing at the end. Throws Error where pictures cannot be used at all.
    std::optional<FilmFrame> next();

    /// Goes to the key frame before `time_ns`; frames that end before it are then left out.
    bool seek(std::int64_t time_ns);

    [[nodiscard]] const FilmInput& input() const { return *input_; }
    [[nodiscard]] const FilmReport& report() const { return report_; }

 private:
    struct Pending {
        Frame frame;
        std::optional<std::int64_t> time;
    };
    void open_decoder(int threads);
    std::optional<Pending> decode();
    bool receive(Frame& frame);
    void feed();
    bool is_cut_jpeg(const AVPacket& packet);
    void invent_time(AVPacket& packet);
    [[nodiscard]] bool is_damaged(const AVFrame& frame) const;

    std::unique_ptr<FilmInput> input_;
    Tap tap_;
    CodecContext decoder_;
    FrameConverter converter_;
    TimestampRepair times_;
    std::optional<Pending> pending_;
    FilmReport report_;
    bool draining_ = false;
    bool started_ = false;
    bool jpegs_end_ = false;  ///< pictures of this motion JPEG carry an end marker
    std::int64_t packets_ = 0;
    std::int64_t skip_before_ns_ = -1;
};

}  // namespace seesay::elements
