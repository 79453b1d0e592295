// Counting from the first frame on which an update, or its segment, was seen.
#include "elements/overlay/word_clock.hpp"

#include <algorithm>

namespace seesay::overlay {
namespace {

/// The caption interval; where that is unknown, from the described frame to where the segment is
/// known to end. At most a day; 0 where nothing is known.
std::int64_t expected_hold(const elements::CaptionUpdate& update) {
    constexpr std::int64_t kDay = 86'400'000'000'000;
    if (update.interval_ns >= 0) {
        return std::min(update.interval_ns, kDay);
    }
    const std::int64_t begin = update.caption->frame.pts_ns;
    const std::int64_t end = update.segment.end_ns;
    return begin < 0 || end < begin ? 0 : std::min(end - begin, kDay);
}

}  // namespace

void WordClock::reset() {
    update_.reset();
}

std::optional<std::size_t> WordClock::word_at(
    const std::shared_ptr<const elements::CaptionUpdate>& update, std::int64_t pts) {
    const std::size_t words = update->caption->tokens.size();
    if (words == 0 || pts < 0) {
        return std::nullopt;
    }
    if (update != update_) {
        const bool same_segment = update_ != nullptr && update_->segment.id == update->segment.id;
        segment_origin_ = same_segment ? segment_origin_ : pts;
        update_origin_ = pts;
        update_ = update;
    }
    // Timestamps that go backwards without a flush.
    segment_origin_ = std::min(segment_origin_, pts);
    update_origin_ = std::min(update_origin_, pts);

    const auto count = static_cast<std::int64_t>(words);
    const std::int64_t hold = expected_hold(*update);
    if (word_duration_ == 0 && hold / count >= kShortestWord) {
        const std::int64_t elapsed = std::min(pts - update_origin_, hold);
        return static_cast<std::size_t>(std::min(elapsed * count / hold, count - 1));
    }
    const std::int64_t duration = word_duration_ > 0 ? word_duration_ : kUnhurriedWord;
    const std::int64_t index = (pts - segment_origin_) / duration % (count + 1);
    return index == count ? std::nullopt : std::optional(static_cast<std::size_t>(index));
}

}  // namespace seesay::overlay
