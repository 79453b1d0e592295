// FrameClock: a time for every frame, also where timestamps are missing, run backwards or have
// holes.
#pragma once

#include <cstdint>
#include <optional>

namespace seesay::elements {

/// All in nanoseconds.
struct FrameTime {
    std::int64_t pts_ns = 0;       ///< stream time; interpolated where the frame has none
    std::int64_t duration_ns = 0;  ///< how long the frame is shown; 0 where nothing tells
    std::int64_t media_ns =
        0;  ///< as `pts_ns`, but never runs backwards: a jump back continues one frame later
    bool jumped_back = false;  ///< the stream time fell by more than half a second
};

class FrameClock {
 public:
    /// The next frame starts afresh (new stream, seek).
    void reset();
    /// `nominal_ns`: the frame duration that the caps promise, 0 if none; used only where nothing
    /// better is known.
    FrameTime observe(std::optional<std::int64_t> pts_ns, std::optional<std::int64_t> duration_ns,
                      std::int64_t nominal_ns);

 private:
    std::int64_t duration_of(std::optional<std::int64_t> stated_ns, std::int64_t nominal_ns) const;

    std::optional<FrameTime> last_;
    std::int64_t offset_ns_ = 0;  ///< media − stream time
    std::int64_t last_delta_ns_ = 0;
    std::int64_t step_ns_ =
        0;  ///< usual distance of frames: the smaller of the last two, so a hole is no step
};

}  // namespace seesay::elements
