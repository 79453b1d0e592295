// See the header: a sliding maximum with hysteresis, so that pipelines are not asked to
// redistribute all the time.
#include "elements/inference/latency_report.hpp"

#include <algorithm>
#include <chrono>

namespace seesay::elements {
namespace {
constexpr std::int64_t kStepNs = 5'000'000;
}

std::int64_t steady_now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void LatencyReport::reset() {
    waits_.fill(0);
    next_ = 0;
    reported_ns_ = 0;
}

bool LatencyReport::observe(std::int64_t waited_ns) {
    waits_[next_] = std::max<std::int64_t>(waited_ns, 0);
    next_ = (next_ + 1) % waits_.size();
    const std::int64_t longest = *std::max_element(waits_.begin(), waits_.end());
    const std::int64_t rounded = (longest + kStepNs - 1) / kStepNs * kStepNs;
    const std::int64_t reported = reported_ns_.load();
    if (rounded <= reported && rounded * 2 >= reported) return false;
    reported_ns_ = rounded;
    return true;
}

}  // namespace seesay::elements
