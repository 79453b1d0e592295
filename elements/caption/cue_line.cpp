// See the header.
#include "elements/caption/cue_line.hpp"

#include <algorithm>

namespace seesay::elements {
namespace {
constexpr std::int64_t kLongestCueNs = 5'000'000'000;
constexpr std::int64_t kLargestPastNs = 1'000'000'000;
/// Of a cue that goes on while an overdue decision is awaited.
constexpr std::int64_t kShortestWaitNs = 250'000'000;
}  // namespace

void CueLine::reset() {
    *this = CueLine();
}

void CueLine::cover(std::vector<Cue>& cues, std::int64_t end_ns, const std::string& text) {
    if (end_ns <= *covered_ns_) return;
    cues.push_back({*covered_ns_, end_ns, text});
    covered_ns_ = end_ns;
    last_text_ = text;
}

std::vector<Cue> CueLine::advance(std::int64_t start_ns, std::int64_t duration_ns,
                                  const std::string& text, std::optional<std::int64_t> decided_ns) {
    std::vector<Cue> cues;
    const std::int64_t frame_ns = std::max<std::int64_t>(duration_ns, 1);
    if (!covered_ns_) covered_ns_ = start_ns;
    // The sliver between the end of a cue and the next frame belongs to the same text; a true hole
    // is a gap.
    const bool sliver = !text.empty() && text == last_text_ &&
                        start_ns - *covered_ns_ <= std::min(frame_ns, kLargestPastNs);
    if (!sliver) cover(cues, start_ns, "");
    if (text.empty()) {
        cover(cues, start_ns + frame_ns, "");
    } else if (decided_ns) {
        next_ns_ = start_ns + std::max(*decided_ns, frame_ns);
        const std::int64_t from = std::max(start_ns, *covered_ns_);
        // A text that comes while another's cue still runs follows it for a frame at least.
        const std::int64_t least = text == last_text_ ? 0 : frame_ns;
        cover(cues, std::min(std::max(next_ns_, from + least), *covered_ns_ + kLongestCueNs), text);
    } else if (start_ns >= *covered_ns_) {
        const std::int64_t wanted =
            std::max(next_ns_, start_ns + std::max(frame_ns, kShortestWaitNs));
        cover(cues, std::min(wanted, *covered_ns_ + kLongestCueNs), text);
    }
    return cues;
}

}  // namespace seesay::elements
