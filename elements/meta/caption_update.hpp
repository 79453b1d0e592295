// CaptionUpdate: what seesaycaption decided, once per sampled frame and once more when a segment
// ends.
#pragma once

#include <cstdint>
#include <memory>

#include "models/language/caption.hpp"

namespace seesay::elements {

/// A stretch of time during which a caption holds. Times are on the scale of `pts_ns`.
struct Segment {
    std::uint64_t id = 0;        ///< from 1, per stream and run
    std::uint64_t revision = 0;  ///< from 1, one more each time the text is confirmed
    std::int64_t start_ns = -1;
    std::int64_t end_ns = -1;  ///< how far the caption is known to hold
    bool final = false;  ///< true once, in the segment's last update: `end_ns` is then the true end
};

/// Frames that were not captioned, since the start.
struct DroppedCounts {
    std::uint64_t late =
        0;  ///< due frames skipped because downstream reported (QoS) that frames come too late
    std::uint64_t queue = 0;  ///< sampled frames replaced by a newer one while inference was busy
};

/// Immutable once shared. Travels downstream in a serialized custom event (exactly once, before the
/// buffer it belongs to; before EOS for the last one) and, as the state that currently holds, on
/// every buffer (CaptionMeta).
struct CaptionUpdate {
    std::shared_ptr<const language::Caption> caption;
    Segment segment;
    std::int64_t latency_total_ns = 0;  ///< from the sampled frame's arrival to this update
    DroppedCounts dropped;
    std::int64_t interval_ns = -1;  ///< caption interval: when the next is due; 0: with every frame
};

}  // namespace seesay::elements
