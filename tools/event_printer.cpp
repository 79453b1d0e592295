// Lines of `seesay watch`. Everything that came over the network is cleaned before a terminal sees
// it.
#include "tools/event_printer.hpp"

#include <array>
#include <cstdio>

#include "elements/events/clean_text.hpp"
#include "elements/events/event_json.hpp"
#include "models/error.hpp"

namespace seesay::tools {

using elements::ReceivedEvent;

std::string media_time(std::int64_t nanoseconds) {
    if (nanoseconds < 0) {
        return "--:--:--.---";
    }
    const long long milliseconds = nanoseconds / 1'000'000;
    std::array<char, 48> text{};
    const int length = std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld.%03lld",
                                     milliseconds / 3'600'000, milliseconds / 60'000 % 60,
                                     milliseconds / 1000 % 60, milliseconds % 1000);
    return {text.data(), static_cast<std::size_t>(length)};
}

bool EventPrinter::print(const ReceivedEvent& event) {
    print_notices(event);
    if (event.repeated || (format_ == Format::Text && event.kind != elements::kCaptionKind)) {
        return false;
    }
    events_ << (format_ == Format::Json ? elements::to_line(event.json) : text_line(event)) << '\n'
            << std::flush;
    if (!events_) {
        throw Error(
            "cannot write events to standard output: the disk is full or the reader has gone");
    }
    return true;
}

std::string EventPrinter::text_line(const ReceivedEvent& event) const {
    const auto& segment = event.json["segment"];
    std::string time;
    if (segment["final"].get<bool>()) {
        time = media_time(segment["start_ns"].get<std::int64_t>()) + '-' +
               media_time(segment["end_ns"].get<std::int64_t>());
    } else {
        time = media_time(event.json["pts_ns"].get<std::int64_t>());
    }
    return time + "  " + event.stream + "  " +
           elements::clean_text(event.json["text"].get_ref<const std::string&>());
}

void EventPrinter::print_notices(const ReceivedEvent& event) {
    if (event.restarted) {
        notices_ << event.stream << ": the publisher started again (run " << event.run_id << ")\n";
    }
    if (event.lost == 1) {
        notices_ << event.stream << ": " << event.kind << " event "
                 << std::to_string(event.sequence - 1) << " was lost\n";
    } else if (event.lost > 1) {
        notices_ << event.stream << ": " << event.kind << " events "
                 << std::to_string(event.sequence - event.lost) << " to "
                 << std::to_string(event.sequence - 1) << " were lost\n";
    }
    if (event.kind == elements::kStatusKind && !event.repeated && event.json["final"].get<bool>()) {
        const auto& counters = event.json["counters"];
        notices_ << event.stream << ": ended after "
                 << std::to_string(counters["frames"].get<std::int64_t>()) << " frames, "
                 << std::to_string(counters["captions"].get<std::int64_t>()) << " caption events\n";
    }
    notices_ << std::flush;
}

void EventPrinter::print_refusal(const std::string& why) {
    if (++refused_ != next_refusal_told_) {
        return;
    }
    next_refusal_told_ *= 10;
    notices_ << "left out a message: " << elements::clean_text(why);
    if (refused_ > 1) {
        notices_ << " (" << std::to_string(refused_) << " messages so far)";
    }
    notices_ << '\n' << std::flush;
}

}  // namespace seesay::tools
