// ZeroMQ options and messages. A context of its own for each endpoint makes closing complete: the
// port is free then.
#include "elements/events/event_socket.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "elements/events/path_claim.hpp"
#include "models/error.hpp"

namespace seesay::elements {
namespace {

constexpr const char* kMonitor = "inproc://connections";
constexpr int kHeartbeatMs = 5000;  // a peer that vanished without a word is let go
constexpr int kHeartbeatTimeoutMs = 15000;
constexpr int kHandshakeMs = 5000;              // and one that connects and says nothing
constexpr std::int64_t kLargestInbound = 2048;  // bytes; subscriptions are shorter than 150

}  // namespace

EventSocket::EventSocket(const EndpointAddress& address, int high_water_mark,
                         std::chrono::milliseconds linger)
    : socket_(context_, zmq::socket_type::xpub), monitor_(context_, zmq::socket_type::pair) {
    const PathClaim claim(address.path);
    require_free_path(address);
    socket_.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
    socket_.set(zmq::sockopt::sndhwm, high_water_mark);
    socket_.set(zmq::sockopt::maxmsgsize, kLargestInbound);
    socket_.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
    socket_.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
    socket_.set(zmq::sockopt::heartbeat_timeout, kHeartbeatTimeoutMs);
    socket_.set(zmq::sockopt::heartbeat_ttl, kHeartbeatTimeoutMs);
    socket_.set(zmq::sockopt::ipv6, address.bindable.find('[') != std::string::npos);
    // Without it, ZeroMQ says nothing of the second subscriber to a topic.
    socket_.set(zmq::sockopt::xpub_verbose, true);
    watch_connections();
    try {
        socket_.bind(address.bindable);
    } catch (const zmq::error_t& error) {
        socket_.set(zmq::sockopt::linger, 0);
        throw Error(bind_problem(address, error.num()));
    }
    bound_endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
    remember_file(address.path);
}

EventSocket::~EventSocket() {
    ::zmq_socket_monitor(socket_.handle(), nullptr, 0);
    monitor_.close();
    remove_file();
    socket_.close();
    context_.close();
}

void EventSocket::remember_file(const std::string& path) {
    struct stat entry {};
    if (!path.empty() && ::lstat(path.c_str(), &entry) == 0) {
        path_ = path;
        file_inode_ = entry.st_ino;
        file_device_ = entry.st_dev;
    }
}

// ZeroMQ leaves the file behind. It is removed before the socket closes and only if it is still the
// one that was bound: afterwards, another program may already have bound the path.
void EventSocket::remove_file() const {
    struct stat entry {};
    if (!path_.empty() && ::lstat(path_.c_str(), &entry) == 0 && entry.st_ino == file_inode_ &&
        entry.st_dev == file_device_) {
        ::unlink(path_.c_str());
    }
}

void EventSocket::watch_connections() {
    constexpr int kEvents =
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;
    if (::zmq_socket_monitor(socket_.handle(), kMonitor, kEvents) != 0) {
        throw Error(std::string("cannot watch the connections of a socket: ") +
                    zmq_strerror(errno));
    }
    monitor_.set(zmq::sockopt::linger, 0);
    monitor_.connect(kMonitor);
}

void EventSocket::send(const EventMessage& message) {
    const auto flags = zmq::send_flags::dontwait;
    socket_.send(zmq::buffer(message.topic), flags | zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(message.json), flags | zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(message.binary), flags);
}

std::optional<std::string> EventSocket::next_subscription() {
    zmq::message_t message;
    while (socket_.recv(message, zmq::recv_flags::dontwait)) {
        const std::string_view bytes = message.to_string_view();
        if (!bytes.empty() && bytes[0] == 1) {
            return std::string(bytes.substr(1));
        }
    }
    return std::nullopt;
}

std::uint64_t EventSocket::count_connections() {
    zmq::message_t event;
    zmq::message_t peer;
    while (monitor_.recv(event, zmq::recv_flags::dontwait)) {
        std::uint16_t kind = 0;
        std::int32_t descriptor = 0;
        if (event.size() < sizeof(kind) + sizeof(descriptor)) {
            continue;
        }
        std::memcpy(&kind, event.data(), sizeof(kind));
        std::memcpy(&descriptor, static_cast<const char*>(event.data()) + sizeof(kind),
                    sizeof(descriptor));
        if (event.more()) {
            (void)monitor_.recv(peer, zmq::recv_flags::dontwait);
        }
        if (kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            connections_.insert(descriptor);
        } else {
            connections_.erase(descriptor);
        }
    }
    return connections_.size();
}

void EventSocket::wait(int wake_descriptor, std::chrono::milliseconds limit) {
    std::array<zmq::pollitem_t, 3> items{{{socket_.handle(), 0, ZMQ_POLLIN, 0},
                                          {monitor_.handle(), 0, ZMQ_POLLIN, 0},
                                          {nullptr, wake_descriptor, ZMQ_POLLIN, 0}}};
    if (::zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(limit.count())) <
            0 &&
        errno != EINTR) {
        throw Error(std::string("waiting on a socket failed: ") + zmq_strerror(errno));
    }
}

}  // namespace seesay::elements
