// See the header.
#include "elements/features/late_gate.hpp"

namespace seesay::elements {
namespace {
constexpr int kMostInARow = 3;
}

void LateGate::reset() {
    const std::lock_guard lock(mutex_);
    earliest_ns_ = -1;
    skipped_in_a_row_ = 0;
}

void LateGate::report(std::int64_t running_time_ns, std::int64_t difference_ns) {
    const std::lock_guard lock(mutex_);
    // Frames up to twice the lateness ahead will be late too (the reckoning of GStreamer's own
    // transforms).
    earliest_ns_ = running_time_ns + (difference_ns > 0 ? 2 * difference_ns : difference_ns);
}

bool LateGate::skip(std::int64_t running_time_ns) {
    const std::lock_guard lock(mutex_);
    const bool late = running_time_ns >= 0 && earliest_ns_ >= 0 && running_time_ns <= earliest_ns_;
    if (!late || skipped_in_a_row_ >= kMostInARow) {
        skipped_in_a_row_ = 0;
        return false;
    }
    ++skipped_in_a_row_;
    return true;
}

}  // namespace seesay::elements
