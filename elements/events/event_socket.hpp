// The XPUB socket of an endpoint with its limits, and the count of who is connected.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <zmq.hpp>

#include "elements/events/endpoint_address.hpp"
#include "elements/events/last_values.hpp"

namespace seesay::elements {

/// For one thread at a time. Sending never waits: a subscriber whose share is full loses the event.
class EventSocket {
 public:
    /// Binds. A subscriber that does not read may hold `high_water_mark` events in memory; on
    /// closing, unsent events are kept for `linger` at most. Throws seesay::Error naming the
    /// endpoint.
    EventSocket(const EndpointAddress& address, int high_water_mark,
                std::chrono::milliseconds linger);
    /// Waits until subscribers have what was sent to them, at most for the linger time.
    ~EventSocket();
    EventSocket(const EventSocket&) = delete;
    EventSocket& operator=(const EventSocket&) = delete;

    /// The endpoint with the port that was found free.
    const std::string& bound_endpoint() const { return bound_endpoint_; }
    void send(const EventMessage& message);
    /// The next subscription that arrived: the prefix of the topics that somebody wants.
    /// Unsubscriptions and whatever else peers send are passed over. Nothing when there is no more.
    std::optional<std::string> next_subscription();
    /// Connections to the endpoint that finished their handshake.
    std::uint64_t count_connections();

    /// Waits until a peer sent something, connections changed, `wake_descriptor` is readable or the
    /// time is over.
    void wait(int wake_descriptor, std::chrono::milliseconds limit);

 private:
    void watch_connections();
    void remember_file(const std::string& path);
    void remove_file() const;

    zmq::context_t context_{1};
    zmq::socket_t socket_;
    zmq::socket_t monitor_;
    std::string bound_endpoint_;
    std::string path_;  ///< of the socket file; empty where there is none
    std::uint64_t file_inode_ = 0;
    std::uint64_t file_device_ = 0;
    std::set<std::int32_t> connections_;  ///< by file descriptor
};

}  // namespace seesay::elements
