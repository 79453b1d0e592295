// See the header: keep or change, and the segments that come of it.
#include "elements/caption/caption_keeper.hpp"

#include <algorithm>
#include <utility>

namespace seesay::elements {
namespace {

/// Segments are never shorter: every clock and subtitle format can tell their ends apart.
constexpr std::int64_t kShortestNs = 1'000'000;
/// Frames that step back less are out of order, not cut (as FrameClock has it).
constexpr std::int64_t kDisorderNs = 500'000'000;

std::int64_t end_of(const CaptionFinding& finding) {
    return finding.caption->frame.pts_ns + std::max(finding.duration_ns, kShortestNs);
}

}  // namespace

void CaptionKeeper::reset() {
    *this = CaptionKeeper();
}

CaptionKeeper::Update CaptionKeeper::kept(const CaptionFinding& finding, double margin) const {
    if (!current_) return nullptr;
    const std::int64_t pts_ns = finding.caption->frame.pts_ns;
    if (pts_ns < current_->segment.start_ns || pts_ns < latest_ns_ - kDisorderNs) return nullptr;
    auto caption = finding.caption;
    if (caption->text != current_->caption->text) {
        if (margin <= 0.0 || !finding.previous) return nullptr;
        const bool near = caption->score - finding.previous->score <= margin;  // false for NaN
        if (!near) return nullptr;
        caption = finding.previous;
    }
    auto update = std::make_shared<CaptionUpdate>(*current_);
    update->caption = std::move(caption);
    ++update->segment.revision;
    update->segment.end_ns = std::max(update->segment.end_ns, end_of(finding));
    return update;
}

/// The held segment with its true end.
CaptionKeeper::Update CaptionKeeper::ended(std::int64_t end_ns) const {
    auto update = std::make_shared<CaptionUpdate>(*current_);
    update->segment.end_ns = std::max(end_ns, update->segment.start_ns + kShortestNs);
    update->segment.final = true;
    return update;
}

std::vector<CaptionKeeper::Update> CaptionKeeper::decide(const CaptionFinding& finding,
                                                         double margin) {
    std::vector<Update> updates;
    const std::int64_t pts_ns = finding.caption->frame.pts_ns;
    const auto told = [&finding](const Update& update) {
        auto told = std::make_shared<CaptionUpdate>(*update);
        told->latency_total_ns = finding.latency_total_ns;
        told->dropped = finding.dropped;
        told->interval_ns = finding.interval_ns;
        return told;
    };
    if (const Update update = kept(finding, margin)) {
        current_ = told(update);
        latest_ns_ = std::max(latest_ns_, pts_ns);
        updates.push_back(current_);
        return updates;
    }
    if (current_) {
        const bool forward = pts_ns > current_->segment.start_ns && pts_ns >= latest_ns_;
        updates.push_back(told(ended(forward ? pts_ns : current_->segment.end_ns)));
    }
    auto opened = std::make_shared<CaptionUpdate>();
    opened->caption = finding.caption;
    opened->segment = {.id = ++last_id_,
                       .revision = 1,
                       .start_ns = pts_ns,
                       .end_ns = end_of(finding),
                       .final = false};
    current_ = told(opened);
    latest_ns_ = pts_ns;
    updates.push_back(current_);
    return updates;
}

CaptionKeeper::Update CaptionKeeper::finish(std::int64_t end_ns) {
    if (!current_) return nullptr;
    const Update last = ended(end_ns);
    current_.reset();
    return last;
}

}  // namespace seesay::elements
