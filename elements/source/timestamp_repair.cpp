// The rules of the repair, one frame at a time.
#include "elements/source/timestamp_repair.hpp"

#include <algorithm>

namespace seesay::elements {

// Where a frame goes whose own time is of no use: one frame after the last, or half way to the next
// where that is sooner.
std::int64_t TimestampRepair::between(std::optional<std::int64_t> next) const {
    if (!last_) {
        return next ? std::max<std::int64_t>(0, *next - frame_duration_) : 0;
    }
    const std::int64_t usual = *last_ + frame_duration_;
    if (next && *next > *last_ + 1 && *next <= usual) {
        return *last_ + (*next - *last_) / 2;
    }
    return usual;
}

std::int64_t TimestampRepair::repair(std::optional<std::int64_t> time,
                                     std::optional<std::int64_t> next) {
    if (next) next = *next + shift_;
    if (time) time = *time + shift_;
    if (time && *time >= 0 && (!last_ || *time > *last_)) {
        last_ = time;
        repaired_ += shift_ != 0 ? 1 : 0;
        return *time;
    }
    ++repaired_;
    std::int64_t repaired = between(next);
    if (time && last_) {
        const std::int64_t back = *last_ - *time;
        const bool goes_on = next ? *next > *last_ : back <= 4 * frame_duration_;
        if (back > 0 && !goes_on) {
            // The clock was set back, and the frames after this one go on from there.
            shift_ += repaired - *time;
        } else if (!next || !goes_on) {
            // Equal times, or what follows is unknown: close together, so that the next good time
            // can be kept.
            repaired = *last_ + std::max<std::int64_t>(1, frame_duration_ / 8);
        }
    }
    last_ = repaired;
    return repaired;
}

void TimestampRepair::restart() {
    last_.reset();
    shift_ = 0;
}

}  // namespace seesay::elements
