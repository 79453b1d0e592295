// The subscriber behind `seesay watch`: a SUB socket that ZeroMQ reconnects, read until told to
// stop.
#include "tools/watch_command.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <zmq.hpp>

#include "elements/events/endpoint_address.hpp"
#include "elements/events/event_reader.hpp"
#include "elements/events/stream_name.hpp"
#include "models/error.hpp"
#include "tools/event_printer.hpp"
#include "tools/stop_signal.hpp"

namespace seesay::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct WatchOptions {
    std::string endpoint;
    std::string stream;
    std::string timeout;  ///< seconds, as given
    bool json = false;
    std::uint64_t count = 0;  ///< 0: no limit
};

/// Nothing if `text` is no number of seconds above 0. Independent of the locale, which CLI11's own
/// parsing is not.
std::optional<double> parse_seconds(const std::string& text) {
    double seconds = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && seconds > 0.0 && seconds <= 1e9 ? std::optional(seconds) : std::nullopt;
}

/// The connection to a publisher, there or not: ZeroMQ connects again by itself.
class Subscription {
 public:
    explicit Subscription(const WatchOptions& options)
        : endpoint_(options.endpoint),
          socket_(context_, zmq::socket_type::sub),
          monitor_(context_, zmq::socket_type::pair) {
        socket_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::rcvhwm, 10'000);
        socket_.set(zmq::sockopt::maxmsgsize, std::int64_t{16} << 20U);
        socket_.set(zmq::sockopt::ipv6, true);
        socket_.set(zmq::sockopt::reconnect_ivl, 100);
        socket_.set(zmq::sockopt::reconnect_ivl_max, 2000);
        socket_.set(zmq::sockopt::heartbeat_ivl, 5000);
        socket_.set(zmq::sockopt::heartbeat_timeout, 15'000);
        socket_.set(zmq::sockopt::handshake_ivl, 5000);
        socket_.set(zmq::sockopt::subscribe, elements::topic_prefix(options.stream));
        constexpr const char* kMonitor = "inproc://connection";
        ::zmq_socket_monitor(socket_.handle(), kMonitor,
                             ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
        monitor_.set(zmq::sockopt::linger, 0);
        monitor_.connect(kMonitor);
        try {
            socket_.connect(endpoint_);
        } catch (const zmq::error_t& error) {
            throw Error("cannot connect to \"" + endpoint_ + "\": " + error.what());
        }
    }

    ~Subscription() { ::zmq_socket_monitor(socket_.handle(), nullptr, 0); }
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    /// Waits until there is something to read, `stop_descriptor` is readable or `limit` is over.
    void wait(int stop_descriptor, std::chrono::milliseconds limit) {
        std::array<zmq::pollitem_t, 3> items{{{socket_.handle(), 0, ZMQ_POLLIN, 0},
                                              {monitor_.handle(), 0, ZMQ_POLLIN, 0},
                                              {nullptr, stop_descriptor, ZMQ_POLLIN, 0}}};
        if (::zmq_poll(items.data(), static_cast<int>(items.size()),
                       static_cast<long>(limit.count())) < 0 &&
            errno != EINTR) {
            throw Error(std::string("waiting for events failed: ") + zmq_strerror(errno));
        }
    }

    /// All frames of the next message; nothing when there is none.
    std::optional<std::vector<zmq::message_t>> next_message() {
        std::vector<zmq::message_t> frames(1);
        if (!socket_.recv(frames[0], zmq::recv_flags::dontwait)) {
            return std::nullopt;
        }
        while (frames.back().more()) {
            frames.emplace_back();
            if (!socket_.recv(frames.back())) {
                break;
            }
        }
        return frames;
    }

    /// Tells of connections that came or went.
    void report_connection(std::ostream& notices) {
        zmq::message_t event;
        zmq::message_t peer;
        while (monitor_.recv(event, zmq::recv_flags::dontwait)) {
            std::uint16_t kind = 0;
            std::memcpy(&kind, event.data(), std::min(sizeof(kind), event.size()));
            if (event.more()) {
                (void)monitor_.recv(peer);
            }
            notices << (kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED ? "connected to "
                                                              : "lost the connection to ")
                    << endpoint_
                    << (kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED ? "\n" : ", connecting again\n")
                    << std::flush;
        }
    }

 private:
    std::string endpoint_;
    zmq::context_t context_{1};
    zmq::socket_t socket_;
    zmq::socket_t monitor_;
};

/// What has been heard, and what comes of it.
class Watch {
 public:
    explicit Watch(const WatchOptions& options)
        : options_(options),
          printer_(options.json ? EventPrinter::Format::Json : EventPrinter::Format::Text,
                   std::cout, std::cerr),
          limit_(parse_seconds(options.timeout)),
          subscription_(options) {}

    int run() {
        while (!stop_.received()) {
            subscription_.wait(stop_.descriptor(), time_left());
            subscription_.report_connection(std::cerr);
            while (const auto frames = subscription_.next_message()) {
                take(*frames);
                if (is_enough() || stop_.received()) {
                    return 0;
                }
            }
            require_signs_of_life();
        }
        return 0;
    }

 private:
    bool is_enough() const { return options_.count > 0 && printed_ >= options_.count; }

    std::chrono::milliseconds time_left() const {
        using std::chrono::milliseconds;
        if (!limit_) {
            return milliseconds(-1);  // for ever
        }
        const auto end = heard_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(*limit_));
        const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
        return std::max(left, milliseconds(0));
    }

    void take(const std::vector<zmq::message_t>& frames) {
        std::vector<std::string_view> views;
        views.reserve(frames.size());
        for (const zmq::message_t& frame : frames) {
            views.push_back(frame.to_string_view());
        }
        std::optional<elements::ReceivedEvent> event;
        try {
            event = reader_.read(views);
        } catch (const Error& error) {
            printer_.print_refusal(error.what());
            return;
        }
        heard_ = Clock::now();
        printed_ += printer_.print(*event) ? 1 : 0;
    }

    void require_signs_of_life() const {
        if (limit_ && time_left().count() == 0) {
            const std::string what =
                options_.stream.empty() ? "no event" : "no event of stream " + options_.stream;
            throw Error(what + " came from " + options_.endpoint + " for " + options_.timeout +
                        " s; check that something is publishing there");
        }
    }

    const WatchOptions& options_;
    EventPrinter printer_;
    std::optional<double> limit_;
    StopSignal stop_;
    Subscription subscription_;
    elements::EventReader reader_;
    Clock::time_point heard_ = Clock::now();
    std::uint64_t printed_ = 0;
};

std::string check_endpoint(const std::string& text) {
    try {
        elements::require_connect_endpoint(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

std::string check_stream(const std::string& text) {
    return elements::is_stream_name(text)
               ? std::string()
               : "\"" + text +
                     "\" is not the name of a stream: 1 to 64 of the characters A-Z a-z 0-9 . _ -";
}

std::string check_seconds(const std::string& text) {
    return parse_seconds(text) ? std::string()
                               : "\"" + text + "\" is not a number of seconds above 0";
}

}  // namespace

void add_watch_command(CLI::App& app, std::function<int()>& run) {
    const auto options = std::make_shared<WatchOptions>();
    CLI::App* command = app.add_subcommand("watch", "Print the events of a publisher as they come");
    command
        ->add_option("ENDPOINT", options->endpoint,
                     "Where events are published: tcp://HOST:PORT or ipc://PATH")
        ->required()
        ->check(check_endpoint);
    command->add_flag("--json", options->json,
                      "Print every event as a line of JSON instead of captions as text");
    command->add_option("--stream", options->stream, "Only events of this stream")
        ->type_name("ID")
        ->check(check_stream);
    command->add_option("--count", options->count, "End after this many lines")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    command
        ->add_option("--timeout", options->timeout, "Fail when no event came for this many seconds")
        ->type_name("S")
        ->check(check_seconds);
    command->footer(
        "Losses, restarts and connections are told on standard error. Ends with Ctrl-C.");
    command->callback([options, &run] { run = [options] { return Watch(*options).run(); }; });
}

}  // namespace seesay::tools
