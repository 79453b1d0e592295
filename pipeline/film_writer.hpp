// FilmWriter: muxes a finished film with libavformat: burned or copied video, every other track as
// it was, captions.
//
// Packets arrive from three sides (the reader's tap, the encoder, the caption elements), each on
// its own thread and each a little ahead of the others. They wait until it is known which captions
// begin before them, so that the caption track is interleaved like any other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "elements/source/film_input.hpp"
#include "pipeline/subtitles.hpp"
#include "pipeline/track_plan.hpp"

namespace seesay::pipeline {

struct FilmWriterOptions {
    std::filesystem::path output;
    Container container = Container::Matroska;
    TrackPlan plan;
    bool burn = true;  ///< false: the video is copied, and the caption track is the default one
    bool fragmented = false;               ///< a recording, readable whenever it breaks off
    std::string caption_language = "eng";  ///< ISO 639-2
    std::string caption_title = "Captions (seesay)";
};

/// The encoder's description of its output, known with its first packet.
struct BurnedVideo {
    AVCodecID codec = AV_CODEC_ID_H264;
    std::vector<std::uint8_t> extradata;
    int width = 0;
    int height = 0;
    AVRational pixel_aspect{1, 1};
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVChromaLocation chroma = AVCHROMA_LOC_UNSPECIFIED;
};

/// One encoded frame, film time.
struct BurnedPacket {
    std::vector<std::uint8_t> data;
    std::int64_t time_ns = 0;
    std::int64_t decode_time_ns = 0;
    std::int64_t duration_ns = 0;
    bool key_frame = false;
};

/// How the burned frames' times compare with the source's.
struct TimeMatch {
    std::uint64_t frames = 0;
    std::uint64_t matched =
        0;  ///< frames whose time is that of a packet of the source, to the tick
};

/// All functions may be called from any thread, and throw Error naming the output when it cannot be
/// written.
class FilmWriter {
 public:
    /// Opens the temporary file. `input` is only read here; null for a stream, of which only video
    /// is written.
    FilmWriter(FilmWriterOptions options, const elements::FilmInput* input);
    FilmWriter(const FilmWriter&) = delete;
    FilmWriter& operator=(const FilmWriter&) = delete;
    /// Removes the temporary file unless `finish` was called.
    ~FilmWriter();

    /// A packet of the source; what the plan copies is kept.
    void copy(const AVPacket& packet, const AVStream& stream);
    /// Must come before the first `burned`.
    void describe_burned(const BurnedVideo& video);
    void burned(BurnedPacket packet);
    /// Video up to `time_ns` has its captions.
    void captioned(std::int64_t time_ns);
    void caption(const elements::CaptionUpdate& update);

    /// Writes what waits and the index, and gives the film its own name. `end_ns`: of the last
    /// frame.
    void finish(std::int64_t end_ns);

    [[nodiscard]] TimeMatch match() const;
    [[nodiscard]] const std::filesystem::path& part() const { return part_; }

 private:
    struct OutputFree {
        void operator()(AVFormatContext* context) const;
    };
    struct CopiedTrack {
        int output = -1;
        std::int64_t origin = 0;  ///< in ticks of the source
        std::int64_t last_decode_time = AV_NOPTS_VALUE;
        std::int64_t shift = 0;
        std::int64_t delay_ns = 0;  ///< that the container's track header takes off again
        AVRational time_base{1, 1};
    };

    void add_tracks(const elements::FilmInput& input);
    void add_stream_track();
    AVStream& add_track();
    void add_copied(const elements::FilmInput& input, const AVStream& stream,
                    const PlannedTrack& plan);
    static void add_delay(AVStream& track, CopiedTrack& copied, std::int64_t delay_ns);
    void set_delays();
    void add_burned(const elements::FilmInput& input, const AVStream& stream);
    void add_caption_track();
    void copy_chapters(const elements::FilmInput& input);
    void write_header();
    void fix_times(AVPacket& packet, CopiedTrack& track);
    void enqueue(elements::Packet packet, std::int64_t decode_time_ns);
    void write_cue(const Cue& cue);
    void stretch_to(std::int64_t end_ns);
    void release(bool everything);
    void write(AVPacket& packet);
    void check(int result, const char* action);
    [[noreturn]] void fail(int result, const char* action) const;

    FilmWriterOptions options_;
    std::filesystem::path part_;
    std::unique_ptr<AVFormatContext, OutputFree> format_;
    mutable std::mutex mutex_;
    std::vector<CopiedTrack> copied_;  ///< by input track
    int burned_track_ = -1;
    int caption_track_ = -1;
    AVRational video_time_base_{1, 1000};  ///< of the source
    std::int64_t origin_ns_ = 0;
    int video_input_ = -1;
    bool header_written_ = false;
    bool finished_ = false;
    /// By decode time: packets with the time base and number of their output track.
    std::multimap<std::int64_t, elements::Packet> waiting_;
    std::int64_t video_ns_ =
        std::numeric_limits<std::int64_t>::min();       ///< decode time of the newest video
    std::int64_t first_video_ticks_ = AV_NOPTS_VALUE;   ///< presentation time of the first frame
    std::int64_t first_decode_ticks_ = AV_NOPTS_VALUE;  ///< decode time of the first packet
    std::size_t waiting_bytes_ = 0;
    CueCollector cues_;
    std::int64_t captioned_ns_ = -1;
    std::multiset<std::int64_t>
        source_times_;  ///< of video packets read and not yet seen again, in ticks
    TimeMatch match_;
};

}  // namespace seesay::pipeline
