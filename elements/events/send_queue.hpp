// The bounded queue in front of an endpoint's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "elements/events/last_values.hpp"

namespace seesay::elements {

struct PublishedStream;

/// What an endpoint's thread is told, in order.
struct SendOrder {
    enum class Kind {
        Join,    ///< a stream begins
        Event,   ///< send `message`
        Finish,  ///< the stream is at its end until it starts anew: send its final status
        Leave,   ///< the stream goes away
        Stop,    ///< the endpoint goes away
    };
    Kind kind = Kind::Event;
    std::shared_ptr<PublishedStream> stream;  ///< null for Stop
    EventMessage message;
};

/// Many threads put in and never wait; one takes out.
class SendQueue {
 public:
    /// `capacity` bounds the events; the other orders are few and always fit. Throws
    /// std::system_error.
    explicit SendQueue(std::size_t capacity);
    ~SendQueue();
    SendQueue(const SendQueue&) = delete;
    SendQueue& operator=(const SendQueue&) = delete;

    /// False if `order` is an event and the queue is full: it was not put in.
    bool put(SendOrder order);
    /// Everything that waits, in order.
    std::deque<SendOrder> take();
    /// Readable while something waits.
    int wake_descriptor() const { return wake_; }

 private:
    std::mutex mutex_;
    std::deque<SendOrder> orders_;  ///< guarded by mutex_
    std::size_t capacity_;
    int wake_ = -1;  ///< an eventfd
};

}  // namespace seesay::elements
