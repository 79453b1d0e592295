// An endpoint: the thread that owns its sockets, and the streams that publish through it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "elements/events/endpoint_address.hpp"
#include "elements/events/event_socket.hpp"
#include "elements/events/send_queue.hpp"

namespace seesay::elements {

struct EndpointOptions {
    std::size_t queued_events = 1024;  ///< in front of the thread, all streams together
    int high_water_mark = 1000;        ///< events kept for each subscriber that does not read
    std::chrono::milliseconds status_interval{5000};  ///< between status events of a stream
    std::chrono::milliseconds resend_interval{
        2000};  ///< at least, between two cached events of a topic
    std::chrono::milliseconds linger{
        1000};  ///< at most, for unsent events when the endpoint closes
};

/// A run of a stream. The counters are written by streaming threads and read by the endpoint's
/// thread.
struct PublishedStream {
    PublishedStream(std::string stream_name, std::string run)
        : name(std::move(stream_name)), run_id(std::move(run)) {}

    const std::string name;
    const std::string run_id;
    const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> frames{0};
    std::atomic<std::uint64_t> captions{0};
    std::atomic<std::uint64_t> dropped_late{0};
    std::atomic<std::uint64_t> dropped_queue{0};
    std::atomic<std::uint64_t> unsent{0};  ///< lost because the queue was full
    std::atomic<std::uint64_t> sent{0};    ///< handed to the socket
};

/// Bound as long as it lives. All functions may be called from any thread and none of them waits
/// for the network.
class Endpoint {
 public:
    /// Binds `endpoint` (`parse_bind_endpoint`) and starts the thread. Throws seesay::Error naming
    /// the endpoint.
    explicit Endpoint(const std::string& endpoint, const EndpointOptions& options = {});
    /// Sends what is queued, then waits for slow subscribers for the linger time at most.
    ~Endpoint();
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    /// The endpoint as it is bound, with the port that was found free.
    const std::string& bound_endpoint() const { return bound_endpoint_; }
    /// True if other machines may reach it.
    bool open_to_network() const { return !address_.loopback; }

    /// Begins a run: its first status is sent. Throws seesay::Error if another stream of that name
    /// is here.
    void join(std::shared_ptr<PublishedStream> stream);
    /// Sends an event of a stream that joined, or counts it as unsent if the queue is full.
    /// Throws seesay::Error if the thread had to give up.
    void send(const std::shared_ptr<PublishedStream>& stream, EventMessage message);
    /// Sends the final status after all events before it. A later event takes the stream up again.
    void finish(std::shared_ptr<PublishedStream> stream);
    /// Ends a run: the final status, if it was not sent yet; the name is free again.
    void leave(std::shared_ptr<PublishedStream> stream);

 private:
    void run();
    void require_running();

    EndpointOptions options_;
    EndpointAddress address_;
    SendQueue queue_;
    std::unique_ptr<EventSocket> socket_;  ///< the thread's, once it runs
    std::string bound_endpoint_;
    std::mutex mutex_;
    std::set<std::string> names_;  ///< guarded by mutex_
    std::string failure_;          ///< guarded by mutex_; empty while the thread is well
    std::thread thread_;
};

}  // namespace seesay::elements
