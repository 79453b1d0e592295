// See the header: the grid, and the next point of it.
#include "elements/features/sampler.hpp"

#include <algorithm>

namespace seesay::elements {
namespace {
constexpr std::int64_t kRoundingNs = 1'000'000;
}

void Sampler::reset() {
    *this = Sampler();
}

bool Sampler::due(std::int64_t media_ns, std::int64_t interval_ns) {
    if (interval_ns <= 0) {
        next_ns_.reset();
        interval_ns_ = 0;
        return true;
    }
    if (!next_ns_ || interval_ns != interval_ns_) {
        // A changed interval takes effect from here.
        anchor_ns_ = media_ns;
        interval_ns_ = interval_ns;
        next_ns_ = media_ns + interval_ns;
        return true;
    }
    const std::int64_t reached = media_ns + std::min(kRoundingNs, interval_ns / 8);
    if (reached < *next_ns_) return false;
    next_ns_ = anchor_ns_ + ((reached - anchor_ns_) / interval_ns + 1) * interval_ns;
    return true;
}

}  // namespace seesay::elements
