// Subtitle cues: made of caption updates, put in order, written as WebVTT and SubRip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elements/meta/caption_update.hpp"

namespace seesay::pipeline {

/// A caption on the clock of the film that is written. Nanoseconds.
struct Cue {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::string text;

    bool operator==(const Cue&) const = default;
};

/// Sorted by start; later cues cut earlier ones off; empty ones (no text, no time) are gone; equal
/// neighbours that touch are one. Times are rounded to milliseconds, on which all text formats
/// agree.
std::vector<Cue> in_order(std::vector<Cue> cues);

/// WebVTT: text escaped, so that no cue can end or mark up itself.
std::string to_webvtt(const std::vector<Cue>& cues);

/// SubRip. It knows no escapes: what players take for mark-up is broken up with an invisible
/// U+2060.
std::string to_subrip(const std::vector<Cue>& cues);

/// One cue's text as `to_subrip` writes it.
std::string subrip_text(const std::string& text);

/// `00:00:03.200`, hours with as many digits as they need.
std::string clock_time(std::int64_t time_ns, char decimal_mark = '.');

/// Turns the updates of one stream into cues. Not thread-safe.
class CueCollector {
 public:
    /// The cue that became known by this update: that of a segment that ended.
    std::optional<Cue> update(const elements::CaptionUpdate& update);
    /// The part of the open segment up to `now_ns` as a cue of its own; the rest follows later.
    std::optional<Cue> cut(std::int64_t now_ns);
    /// The stream is over: the open segment, if its end was not told, ends at `end_ns`.
    std::optional<Cue> finish(std::int64_t end_ns);

    /// Where the open segment (or its rest) starts; nothing while none is open.
    [[nodiscard]] std::optional<std::int64_t> open_start_ns() const;
    /// All cues so far, not in order.
    [[nodiscard]] const std::vector<Cue>& cues() const { return cues_; }

 private:
    std::optional<Cue> close(std::int64_t end_ns);

    std::optional<Cue> open_;
    std::uint64_t open_segment_ = 0;
    std::vector<Cue> cues_;
};

}  // namespace seesay::pipeline
