// WordClock: which word of a caption is shown at which time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "elements/meta/caption_update.hpp"

namespace seesay::overlay {

/// Times are nanoseconds on the scale of buffer timestamps. The same sequence of questions gives
/// the same answers.
///
/// With word duration 0 (the default) the words share the caption interval
/// (CaptionUpdate::interval_ns; where that is unknown, the time from the described frame to the
/// segment's end): each update starts with its first word, and the last word stays until the next
/// update. Should that leave a word less than `kShortestWord` (long captions, short intervals),
/// words last `kUnhurriedWord` and run on over the updates of a segment, as they do with a word
/// duration of the user's: after the last word comes one such duration without a word (the mean of
/// the maps belongs there), then the first again.
class WordClock {
 public:
    static constexpr std::int64_t kShortestWord = 200'000'000;  ///< the eye follows no faster
    static constexpr std::int64_t kUnhurriedWord = 250'000'000;

    /// 0: as the caption's expected hold gives.
    void set_word_duration(std::int64_t nanoseconds) { word_duration_ = nanoseconds; }
    /// After a flush or a caps change: the next update starts with its first word.
    void reset();

    /// Index of the word at `pts`, or nothing in the pause. `pts` −1 (unknown) is the pause.
    std::optional<std::size_t> word_at(const std::shared_ptr<const elements::CaptionUpdate>& update,
                                       std::int64_t pts);

 private:
    std::int64_t word_duration_ = 0;
    std::shared_ptr<const elements::CaptionUpdate> update_;
    std::int64_t update_origin_ = 0;   ///< when the update was first seen
    std::int64_t segment_origin_ = 0;  ///< when its segment was first seen
};

}  // namespace seesay::overlay
