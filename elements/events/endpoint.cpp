// The endpoint's thread: sends what streams queue, reports their status and serves late joiners.
#include "elements/events/endpoint.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <utility>

#include "elements/events/event_json.hpp"
#include "elements/events/event_numbering.hpp"
#include "elements/events/event_time.hpp"
#include "elements/events/stream_name.hpp"
#include "models/error.hpp"

namespace seesay::elements {
namespace {

using Clock = std::chrono::steady_clock;

/// What the thread knows and does; lives on its stack.
class EndpointLoop {
 public:
    EndpointLoop(EventSocket& socket, SendQueue& queue, const EndpointOptions& options)
        : socket_(socket),
          queue_(queue),
          options_(options),
          last_values_(options.resend_interval) {}

    void run() {
        while (!stopping_) {
            socket_.wait(queue_.wake_descriptor(), time_to_next_duty());
            subscribers_ = socket_.count_connections();
            note_subscriptions();
            for (SendOrder& order : queue_.take()) {
                carry_out(order);
            }
            send_due();
        }
    }

 private:
    struct Member {
        std::shared_ptr<PublishedStream> stream;
        SequenceCounter status_numbers;
        Clock::time_point next_status;
        bool finished = false;
    };

    std::chrono::milliseconds time_to_next_duty() const {
        auto next = Clock::now() + std::chrono::seconds(5);
        for (const Member& member : members_) {
            if (!member.finished) {
                next = std::min(next, member.next_status);
            }
        }
        if (const auto due = last_values_.next_due()) {
            next = std::min(next, *due);
        }
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
        return std::max(wait, std::chrono::milliseconds(0));
    }

    void note_subscriptions() {
        // Bounded, so that a peer that floods cannot keep events from being sent.
        for (int count = 0; count < 1000; ++count) {
            const auto prefix = socket_.next_subscription();
            if (!prefix) {
                return;
            }
            last_values_.subscribed(*prefix);
        }
    }

    void carry_out(SendOrder& order) {
        if (order.kind == SendOrder::Kind::Stop) {
            stopping_ = true;
            return;
        }
        if (order.kind == SendOrder::Kind::Join) {
            members_.push_back({order.stream, {}, {}, false});
            send_status(members_.back(), false);
            return;
        }
        const auto member = std::find_if(members_.begin(), members_.end(),
                                         [&](const Member& m) { return m.stream == order.stream; });
        if (order.kind == SendOrder::Kind::Event) {
            member->finished = false;
            send(*order.stream, std::move(order.message));
            return;
        }
        if (!member->finished) {
            send_status(*member, true);
        }
        if (order.kind == SendOrder::Kind::Leave) {
            last_values_.forget(topic_prefix(order.stream->name));
            members_.erase(member);
        }
    }

    void send(PublishedStream& stream, EventMessage message) {
        socket_.send(message);
        stream.sent.fetch_add(1);
        last_values_.store(std::move(message));
    }

    void send_status(Member& member, bool final) {
        PublishedStream& stream = *member.stream;
        const auto now = Clock::now();
        StatusReport report;
        report.final = final;
        report.uptime_ns = std::chrono::nanoseconds(now - stream.started).count();
        report.frames = stream.frames.load();
        report.captions = stream.captions.load();
        report.sent = stream.sent.load() + 1;
        report.dropped = {stream.dropped_late.load(), stream.dropped_queue.load()};
        report.unsent = stream.unsent.load();
        report.subscribers = subscribers_;
        report.sockets = {{"events", socket_.bound_endpoint()}};
        const EventHeader header{stream.name, stream.run_id, member.status_numbers.next(),
                                 wall_clock_now_us()};
        send(stream,
             {topic_for(stream.name, kStatusKind), to_line(status_event(header, report)), {}});
        member.finished = final;
        member.next_status = now + options_.status_interval;
    }

    void send_due() {
        const auto now = Clock::now();
        for (Member& member : members_) {
            if (!member.finished && now >= member.next_status) {
                send_status(member, false);
            }
        }
        for (const EventMessage& message : last_values_.take_due(now)) {
            socket_.send(message);
        }
    }

    EventSocket& socket_;
    SendQueue& queue_;
    const EndpointOptions& options_;
    LastValues last_values_;
    std::list<Member> members_;
    std::uint64_t subscribers_ = 0;
    bool stopping_ = false;
};

/// Starts a thread that takes no signals: they are for the program's own threads.
template <typename Function>
std::thread start_without_signals(Function function) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread thread(std::move(function));
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return thread;
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
}

}  // namespace

Endpoint::Endpoint(const std::string& endpoint, const EndpointOptions& options)
    : options_(options),
      address_(parse_bind_endpoint(endpoint)),
      queue_(options.queued_events),
      socket_(std::make_unique<EventSocket>(address_, options.high_water_mark, options.linger)),
      bound_endpoint_(socket_->bound_endpoint()),
      thread_(start_without_signals([this] { run(); })) {
}

Endpoint::~Endpoint() {
    queue_.put({SendOrder::Kind::Stop, nullptr, {}});
    thread_.join();
}

void Endpoint::run() {
    pthread_setname_np(pthread_self(), "seesay-events");
    try {
        EndpointLoop(*socket_, queue_, options_).run();
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        failure_ = "publishing on " + bound_endpoint_ + " failed: " + error.what();
    }
    socket_.reset();
}

void Endpoint::require_running() {
    if (!failure_.empty()) {
        throw Error(failure_);
    }
}

void Endpoint::join(std::shared_ptr<PublishedStream> stream) {
    const std::lock_guard lock(mutex_);
    require_running();
    if (!names_.insert(stream->name).second) {
        throw Error("a stream named \"" + stream->name + "\" is already published on " +
                    address_.given + "; give each stream a name of its own");
    }
    queue_.put({SendOrder::Kind::Join, std::move(stream), {}});
}

void Endpoint::send(const std::shared_ptr<PublishedStream>& stream, EventMessage message) {
    {
        const std::lock_guard lock(mutex_);
        require_running();
    }
    if (!queue_.put({SendOrder::Kind::Event, stream, std::move(message)})) {
        stream->unsent.fetch_add(1);
    }
}

void Endpoint::finish(std::shared_ptr<PublishedStream> stream) {
    queue_.put({SendOrder::Kind::Finish, std::move(stream), {}});
}

void Endpoint::leave(std::shared_ptr<PublishedStream> stream) {
    const std::lock_guard lock(mutex_);
    names_.erase(stream->name);
    queue_.put({SendOrder::Kind::Leave, std::move(stream), {}});
}

}  // namespace seesay::elements
