// Results as text: JSON lines as they come, subtitle files at the end; to files that appear whole,
// or to standard output.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "models/weights/output_file.hpp"
#include "pipeline/subtitles.hpp"

namespace seesay::pipeline {

/// Where each kind goes: a path, `-` for standard output, or empty.
struct TextTargets {
    std::string jsonl;
    std::string vtt;
    std::string srt;
};

/// Functions may be called from any thread and throw Error naming the file.
class TextOutputs {
 public:
    /// Opens the temporary files, so that a place that cannot be written is known before any work.
    explicit TextOutputs(const TextTargets& targets);

    /// Writes one event (without line break) to the JSONL output, if there is one.
    void write_event(const std::string& line);
    /// Writes the subtitles and gives all files their names.
    void finish(const std::vector<Cue>& cues);

 private:
    struct Target {
        bool wanted = false;
        std::unique_ptr<weights::OutputFile> file;  ///< none: standard output
    };
    static Target open(const std::string& name);
    static void write(Target& target, const std::string& text);

    std::mutex mutex_;
    Target jsonl_;
    Target vtt_;
    Target srt_;
};

}  // namespace seesay::pipeline
