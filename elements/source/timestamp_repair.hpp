// TimestampRepair: makes frame times strictly rising where the source has none, repeats them or
// jumps back.
#pragma once

#include <cstdint>
#include <optional>

namespace seesay::elements {

/// Good times pass unchanged. A missing or repeated time is put between its neighbours; a clock
/// that jumps back goes on one frame after the last time, and stays shifted. All times are
/// nanoseconds from 0.
class TimestampRepair {
 public:
    /// `frame_duration_ns`: of a usual frame, for times that have to be invented.
    explicit TimestampRepair(std::int64_t frame_duration_ns) : frame_duration_(frame_duration_ns) {}

    /// The frame's time, given what the source says and, where it is known, what it says of the
    /// next frame.
    std::int64_t repair(std::optional<std::int64_t> time,
                        std::optional<std::int64_t> next = std::nullopt);

    /// Forgets the last time, after a seek.
    void restart();

    [[nodiscard]] std::uint64_t repaired() const {
        return repaired_;
    }  ///< frames whose time was changed

 private:
    std::int64_t between(std::optional<std::int64_t> next) const;

    std::int64_t frame_duration_;
    std::int64_t shift_ = 0;
    std::optional<std::int64_t> last_;
    std::uint64_t repaired_ = 0;
};

}  // namespace seesay::elements
