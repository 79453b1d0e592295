// TextQueue: what waits for the text pad's own thread. Bounded, and the video never waits for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "elements/caption/cue_line.hpp"

namespace seesay::elements {

/// A cue or gap, or (where `event` is set) an event to pass on.
struct TextItem {
    Cue cue;
    std::shared_ptr<void> event;
    bool lasting = false;  ///< an event that a flush does not undo: how the stream begins
};

class TextQueue {
 public:
    explicit TextQueue(std::size_t capacity = 1024) : capacity_(capacity) {}

    /// Never waits. Neighbouring gaps become one. Where `capacity` cues and gaps wait, the oldest
    /// is thrown away; events never are. Nothing is taken while flushing.
    void push(TextItem item);
    /// Waits for the next item; empty while flushing.
    std::optional<TextItem> pop();
    /// Wakes the reader and throws everything away but lasting events.
    void start_flushing();
    /// Throws those away too.
    void clear();
    void stop_flushing();
    /// Cues and gaps that were thrown away for lack of room.
    [[nodiscard]] std::uint64_t overflowed() const;

 private:
    const std::size_t capacity_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<TextItem> items_;
    std::size_t cues_ = 0;
    std::uint64_t overflowed_ = 0;
    bool flushing_ = true;
};

}  // namespace seesay::elements
