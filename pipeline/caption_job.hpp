// The caption job: one input, captioned from beginning to end. What `seesay caption` runs.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/track_plan.hpp"

namespace seesay::pipeline {

/// What to do. Empty strings: not wanted, or the default of the place that uses them.
struct CaptionJob {
    std::string input;            ///< film, picture, URI, device, or - for standard input
    std::string output;           ///< film (.mp4, .mkv, .webm), or a picture for a picture
    std::string jsonl, vtt, srt;  ///< paths, or - for standard output

    std::string package = "default";
    std::string device = "auto";
    int threads = 1;            ///< of the models; 0: one a core
    std::string mode = "auto";  ///< auto | every | latest
    double interval = 1.0;      ///< seconds of media time; 0: every frame
    int beam = 3;               ///< 1…100

    bool burn = true;       ///< captions into the picture; false: the video is copied
    std::string attention;  ///< none | words | mean; empty: words, or none without burning
    std::string publish;    ///< ZeroMQ endpoint
    std::string stream;     ///< empty: from the input's name

    bool drop_tracks = false;  ///< left-out tracks are no reason for exit code 3
    bool force = false;        ///< replace what exists
    std::string encoder;
    int crf = -1;
    std::string preset;

    /// Builds the elements between source and encoder (sink and src pad); empty: the captioning
    /// elements. For tests.
    std::function<GstElement*()> middle;

    /// Whether one of the texts goes to standard output, so that nothing else may.
    [[nodiscard]] bool uses_standard_output() const {
        return jsonl == "-" || vtt == "-" || srt == "-";
    }
};

struct CaptionProgress {
    std::uint64_t frames = 0;
    std::int64_t position_ns = 0;   ///< film time of the newest captioned frame
    std::int64_t duration_ns = -1;  ///< −1 where unknown
    double elapsed_s = 0.0;
    [[nodiscard]] double speed() const {
        return elapsed_s > 0.0 ? static_cast<double>(position_ns) * 1e-9 / elapsed_s : 0.0;
    }
};

/// Called from streaming threads and from the thread of `run`; must not throw and must return
/// quickly.
struct CaptionCallbacks {
    /// A caption begins to hold. `time_ns` is film time.
    std::function<void(std::int64_t time_ns, const std::string& text)> on_caption;
    std::function<void(const CaptionProgress&)> on_progress;  ///< some times a second
    std::function<void(const std::string&)>
        on_notice;  ///< a sentence worth a line on standard error
};

struct CaptionJobResult {
    int exit_code = 0;                    ///< 0, or 3 where `incomplete` says why
    std::vector<std::string> incomplete;  ///< sentences: cut input, left-out tracks, stopped early
    CaptionProgress progress;
    std::uint64_t captions = 0;  ///< segments
};

/// Runs the job. Stops early, with everything closed and named, when `stop` becomes true. gst_init
/// must have been called. Throws UsageError (exit code 2) before anything is opened, or Error (exit
/// code 1), after which no output is left.
CaptionJobResult run(const CaptionJob& job, const CaptionCallbacks& callbacks,
                     const std::atomic<bool>& stop);

}  // namespace seesay::pipeline
