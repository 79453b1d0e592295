// CueLine: the caption text as a forward-only line of cues and gaps, for the text pad.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace seesay::elements {

/// A stretch of the line, nanoseconds on the scale of buffer timestamps. Empty text: a gap.
struct Cue {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::string text;
    bool operator==(const Cue&) const = default;
};

/// Cues never overlap, never lie in the past by more than a second, are no longer than five
/// seconds, and together with the gaps cover the line from the first frame on; equal neighbours are
/// for the writer of a file to merge.
class CueLine {
 public:
    /// A new segment or a flush: the line begins anew at the next frame.
    void reset();

    /// A frame passes at `start_ns`, shown for `duration_ns`, while `text` holds (empty: nothing
    /// holds). `decided_ns` is given where the text was decided or confirmed at this frame: how
    /// long until the next decision.
    std::vector<Cue> advance(std::int64_t start_ns, std::int64_t duration_ns,
                             const std::string& text, std::optional<std::int64_t> decided_ns);

 private:
    void cover(std::vector<Cue>& cues, std::int64_t end_ns, const std::string& text);

    std::optional<std::int64_t> covered_ns_;  ///< the end of what was put out
    std::int64_t next_ns_ = 0;                ///< when the next decision is expected
    std::string last_text_;
};

}  // namespace seesay::elements
