// A stream's way out: numbers its events, makes them and hands them to an endpoint.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "elements/events/endpoint_registry.hpp"
#include "elements/events/event_numbering.hpp"
#include "elements/meta/caption_update.hpp"

namespace seesay::elements {

/// One run of a stream: from construction to destruction. Nothing here waits, except that the
/// destructor may wait for slow subscribers for the endpoint's linger time if no other stream uses
/// the endpoint.
class Publisher {
 public:
    /// Binds `endpoint` unless another stream of `registry` holds it; with an empty one, events are
    /// made and numbered but not sent. Throws seesay::Error if the name is not allowed
    /// (`is_stream_name`) or is taken on this endpoint, or if the endpoint cannot be bound.
    Publisher(EndpointRegistry& registry, const std::string& endpoint, const std::string& stream);
    ~Publisher();
    Publisher(const Publisher&) = delete;
    Publisher& operator=(const Publisher&) = delete;

    const std::string& stream() const { return stream_->name; }
    const std::string& run_id() const { return stream_->run_id; }
    /// As it is bound; empty where there is none.
    std::string bound_endpoint() const {
        return endpoint_ ? endpoint_->bound_endpoint() : std::string();
    }
    bool open_to_network() const { return endpoint_ && endpoint_->open_to_network(); }
    /// The counters of this run, from any thread. They may outlive the publisher.
    std::shared_ptr<const PublishedStream> counters() const { return stream_; }

    /// A frame passes. From any thread.
    void count_frame() { stream_->frames.fetch_add(1); }
    /// Numbers the update, sends it and returns the event. From one thread at a time.
    /// Throws seesay::Error if the update is not one that an event can be made of, or if the
    /// endpoint failed.
    nlohmann::ordered_json publish(const CaptionUpdate& update);
    /// The stream is at its end: the final status follows all events.
    void finish();

 private:
    std::shared_ptr<PublishedStream> stream_;
    std::shared_ptr<Endpoint> endpoint_;
    SequenceCounter caption_numbers_;
};

}  // namespace seesay::elements
