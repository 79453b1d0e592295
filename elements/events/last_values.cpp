// The last-value cache: a map in topic order, so that a prefix is a range.
#include "elements/events/last_values.hpp"

#include <utility>

#include "elements/events/event_json.hpp"

namespace seesay::elements {

void LastValues::store(EventMessage message) {
    Entry& entry = entries_[message.topic];
    entry.message = std::move(message);
    entry.wanted = false;  // whoever waited gets this event itself
}

void LastValues::forget(std::string_view prefix) {
    const auto first = entries_.lower_bound(prefix);
    auto last = first;
    while (last != entries_.end() && last->first.starts_with(prefix)) {
        ++last;
    }
    entries_.erase(first, last);
}

void LastValues::subscribed(std::string_view prefix) {
    for (auto entry = entries_.lower_bound(prefix);
         entry != entries_.end() && entry->first.starts_with(prefix); ++entry) {
        entry->second.wanted = true;
    }
}

std::vector<EventMessage> LastValues::take_due(Clock::time_point now) {
    std::vector<EventMessage> due;
    for (auto& [topic, entry] : entries_) {
        if (entry.wanted && now >= entry.allowed_from) {
            due.push_back({topic, as_cached(entry.message.json), entry.message.binary});
            entry.wanted = false;
            entry.allowed_from = now + interval_;
        }
    }
    return due;
}

std::optional<LastValues::Clock::time_point> LastValues::next_due() const {
    std::optional<Clock::time_point> next;
    for (const auto& [topic, entry] : entries_) {
        if (entry.wanted && (!next || entry.allowed_from < *next)) {
            next = entry.allowed_from;
        }
    }
    return next;
}

}  // namespace seesay::elements
