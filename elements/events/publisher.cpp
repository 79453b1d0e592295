// From caption updates to messages on an endpoint.
#include "elements/events/publisher.hpp"

#include "elements/events/event_json.hpp"
#include "elements/events/event_time.hpp"
#include "elements/events/stream_name.hpp"
#include "models/error.hpp"

namespace seesay::elements {

Publisher::Publisher(EndpointRegistry& registry, const std::string& endpoint,
                     const std::string& stream)
    : stream_(std::make_shared<PublishedStream>(stream, new_run_id())) {
    if (!is_stream_name(stream)) {
        throw Error(
            "\"" + stream +
            "\" is not a name for a stream: use 1 to 64 of the characters A-Z a-z 0-9 . _ -");
    }
    if (!endpoint.empty()) {
        endpoint_ = registry.open(endpoint);
        endpoint_->join(stream_);
    }
}

Publisher::~Publisher() {
    if (endpoint_) {
        endpoint_->leave(stream_);
    }
}

nlohmann::ordered_json Publisher::publish(const CaptionUpdate& update) {
    const EventHeader header{stream_->name, stream_->run_id, caption_numbers_.next(),
                             wall_clock_now_us()};
    nlohmann::ordered_json event = caption_event(header, update);
    stream_->captions.fetch_add(1);
    stream_->dropped_late.store(update.dropped.late);
    stream_->dropped_queue.store(update.dropped.queue);
    if (endpoint_) {
        endpoint_->send(stream_, {topic_for(stream_->name, kCaptionKind), to_line(event),
                                  attention_bytes(*update.caption)});
    }
    return event;
}

void Publisher::finish() {
    if (endpoint_) {
        endpoint_->finish(stream_);
    }
}

}  // namespace seesay::elements
