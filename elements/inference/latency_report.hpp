// LatencyReport: what an element that waits for its model tells LATENCY queries.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace seesay::elements {

/// std::chrono::steady_clock, nanoseconds.
std::int64_t steady_now_ns();

/// The longest of the last waits, rounded up to 5 ms. `observe` belongs to one thread,
/// `reported_ns` to all.
class LatencyReport {
 public:
    void reset();
    /// Notes a wait; true if the reported latency changed: it rises at once and falls when it is
    /// less than half.
    bool observe(std::int64_t waited_ns);
    [[nodiscard]] std::int64_t reported_ns() const { return reported_ns_.load(); }

 private:
    std::array<std::int64_t, 16> waits_{};
    std::size_t next_ = 0;
    std::atomic<std::int64_t> reported_ns_{0};
};

}  // namespace seesay::elements
