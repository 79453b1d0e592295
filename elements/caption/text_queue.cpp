// See the header.
#include "elements/caption/text_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace seesay::elements {

void TextQueue::push(TextItem item) {
    const std::lock_guard lock(mutex_);
    if (flushing_) return;
    if (!item.event) {
        TextItem* last = items_.empty() ? nullptr : &items_.back();
        if (last != nullptr && !last->event && last->cue.text.empty() && item.cue.text.empty() &&
            last->cue.end_ns == item.cue.start_ns) {
            last->cue.end_ns = item.cue.end_ns;
            return;
        }
        if (cues_ >= capacity_) {
            items_.erase(std::find_if(items_.begin(), items_.end(),
                                      [](const TextItem& old) { return !old.event; }));
            ++overflowed_;
            --cues_;
        }
        ++cues_;
    }
    items_.push_back(std::move(item));
    changed_.notify_one();
}

std::optional<TextItem> TextQueue::pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return flushing_ || !items_.empty(); });
    if (flushing_) return std::nullopt;
    TextItem item = std::move(items_.front());
    items_.pop_front();
    if (!item.event) --cues_;
    return item;
}

void TextQueue::start_flushing() {
    std::deque<TextItem> old;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    flushing_ = true;
    old.swap(items_);
    std::copy_if(old.begin(), old.end(), std::back_inserter(items_),
                 [](const TextItem& item) { return item.lasting; });
    cues_ = 0;
    changed_.notify_all();
}

void TextQueue::clear() {
    std::deque<TextItem> old;
    const std::lock_guard lock(mutex_);
    old.swap(items_);
    cues_ = 0;
}

void TextQueue::stop_flushing() {
    const std::lock_guard lock(mutex_);
    flushing_ = false;
}

std::uint64_t TextQueue::overflowed() const {
    const std::lock_guard lock(mutex_);
    return overflowed_;
}

}  // namespace seesay::elements
