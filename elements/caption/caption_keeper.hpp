// CaptionKeeper: which caption holds. Text does not flicker, and every stretch of equal text is a
// segment.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "elements/meta/caption_update.hpp"

namespace seesay::elements {

/// What a captioner found for one sampled frame.
struct CaptionFinding {
    std::shared_ptr<const language::Caption> caption;  ///< the best for the frame
    std::shared_ptr<const language::Caption>
        previous;                  ///< the held words scored on the frame; may be null
    std::int64_t duration_ns = 0;  ///< how long the frame is shown
    std::int64_t latency_total_ns = 0;
    DroppedCounts dropped;
    std::int64_t interval_ns = -1;  ///< see CaptionUpdate
};

/// Times are on the scale of `pts_ns`. Not thread-safe: belongs to the streaming thread.
class CaptionKeeper {
 public:
    using Update = std::shared_ptr<const CaptionUpdate>;

    /// Nothing holds; segments count from 1 again (a new run).
    void reset();

    /// Decides between the held caption and the new one. The held text stays if the new text is the
    /// same, or if its score on the new frame is no more than `margin` below the new one's (units
    /// of Caption::score); with margin 0 the newest text always wins. Returns what to tell: the
    /// final update of a segment that ends, then the new state. A frame that lies before the held
    /// segment, or half a second before the last frame, is a cut: it opens a segment even if the
    /// text stays.
    std::vector<Update> decide(const CaptionFinding& finding, double margin);

    /// The stream ended or was cut at `end_ns`: nothing holds any more. Returns the final update;
    /// null if nothing held.
    Update finish(std::int64_t end_ns);

    /// The state that holds; null if none does.
    [[nodiscard]] const Update& current() const { return current_; }

 private:
    Update kept(const CaptionFinding& finding, double margin) const;
    Update ended(std::int64_t end_ns) const;

    Update current_;
    std::int64_t latest_ns_ = 0;  ///< of the frames decided on in this segment
    std::uint64_t last_id_ = 0;
};

}  // namespace seesay::elements
