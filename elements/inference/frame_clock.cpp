// See the header: interpolation of missing times, the monotonic media time, frame durations.
#include "elements/inference/frame_clock.hpp"

#include <algorithm>

namespace seesay::elements {
namespace {

/// Smaller steps back are disorder (B-frames stamped in decoding order), larger ones a new
/// beginning.
constexpr std::int64_t kDisorderNs = 500'000'000;
/// Where neither timestamps nor caps say anything.
constexpr std::int64_t kAssumedStepNs = 40'000'000;
/// No frame is shown for less, except in films whose frames are that close.
constexpr std::int64_t kShortestNs = 4'000'000;
/// Times, durations and the offset are clamped so that no sum of them overflows (36 years).
constexpr std::int64_t kFarthestNs = std::int64_t{1} << 60;

}  // namespace

void FrameClock::reset() {
    *this = FrameClock();
}

std::int64_t FrameClock::duration_of(std::optional<std::int64_t> stated_ns,
                                     std::int64_t nominal_ns) const {
    // A tiny duration, far below the distance of the frames, comes from a bogus frame rate.
    if (stated_ns && *stated_ns > 0 && *stated_ns >= std::min(step_ns_ / 4, kShortestNs))
        return std::min(*stated_ns, kFarthestNs);
    if (step_ns_ > 0) return step_ns_;
    return std::clamp(nominal_ns, std::int64_t{0}, kFarthestNs);
}

FrameTime FrameClock::observe(std::optional<std::int64_t> pts_ns,
                              std::optional<std::int64_t> duration_ns, std::int64_t nominal_ns) {
    FrameTime now;
    if (!last_) {
        now.pts_ns = std::clamp(pts_ns.value_or(0), -kFarthestNs, kFarthestNs);
        now.media_ns = now.pts_ns;
        now.duration_ns = duration_of(duration_ns, nominal_ns);
        last_ = now;
        return now;
    }
    const std::int64_t advance = last_->duration_ns > 0 ? last_->duration_ns : kAssumedStepNs;
    now.pts_ns = std::clamp(pts_ns.value_or(last_->pts_ns + advance), -kFarthestNs, kFarthestNs);
    const std::int64_t delta = now.pts_ns - last_->pts_ns;
    if (pts_ns && delta > 0) {
        step_ns_ = last_delta_ns_ > 0 ? std::min(delta, last_delta_ns_) : delta;
        last_delta_ns_ = delta;
    }
    now.duration_ns = duration_of(duration_ns, nominal_ns);
    now.media_ns = now.pts_ns + offset_ns_;
    if (now.media_ns < last_->media_ns - kDisorderNs) {
        now.jumped_back = true;
        offset_ns_ =
            std::min(offset_ns_ + last_->media_ns + advance - now.media_ns, 2 * kFarthestNs);
        now.media_ns = now.pts_ns + offset_ns_;
    }
    now.media_ns = std::max(now.media_ns, last_->media_ns);
    last_ = now;
    return now;
}

}  // namespace seesay::elements
