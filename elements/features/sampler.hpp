// Sampler: which frames are captioned. Counts media time, never frames per second.
#pragma once

#include <cstdint>
#include <optional>

namespace seesay::elements {

/// A grid of points `interval` apart, anchored at the first frame: the first frame at or after each
/// point is due (a millisecond before counts as at: containers round), so errors never add up.
/// Several points within one gap make one frame due.
class Sampler {
 public:
    /// The next frame is the first again.
    void reset();
    /// `media_ns`: a time that never falls (FrameClock). `interval_ns` 0 makes every frame due.
    bool due(std::int64_t media_ns, std::int64_t interval_ns);
    /// Media time of the next point of the grid; empty with interval 0 and before the first frame.
    [[nodiscard]] std::optional<std::int64_t> next_due_ns() const { return next_ns_; }

 private:
    std::int64_t anchor_ns_ = 0;
    std::int64_t interval_ns_ = 0;
    std::optional<std::int64_t> next_ns_;
};

}  // namespace seesay::elements
