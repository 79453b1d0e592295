// The last event of each topic, sent again when somebody subscribes late.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seesay::elements {

/// An event as it goes over the wire: three frames, of which the last may be empty.
struct EventMessage {
    std::string topic;
    std::string json;
    std::string binary;
};

/// Decides what is sent again and when. What is sent goes to all subscribers of a topic, so each
/// topic is sent again at most once an interval; a request within it waits, unless a new event
/// answers it first. For one thread; the time is given by the caller.
class LastValues {
 public:
    using Clock = std::chrono::steady_clock;

    explicit LastValues(Clock::duration interval) : interval_(interval) {}

    /// Keeps `message` as the last of its topic.
    void store(EventMessage message);
    /// Drops all topics that begin with `prefix`.
    void forget(std::string_view prefix);
    /// Somebody subscribed to every topic that begins with `prefix`.
    void subscribed(std::string_view prefix);
    /// What has to be sent now, marked `"cached": true`.
    std::vector<EventMessage> take_due(Clock::time_point now);
    /// When `take_due` will next have something; nothing if nobody waits.
    std::optional<Clock::time_point> next_due() const;

 private:
    struct Entry {
        EventMessage message;
        bool wanted = false;
        Clock::time_point allowed_from = Clock::time_point::min();
    };
    std::map<std::string, Entry, std::less<>> entries_;  ///< by topic
    Clock::duration interval_;
};

}  // namespace seesay::elements
