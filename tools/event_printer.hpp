// What `seesay watch` writes: events to one stream, notices about losses and restarts to another.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "elements/events/event_reader.hpp"

namespace seesay::tools {

/// `00:00:03.200` for nanoseconds of media time, hours without limit; `--:--:--.---` where it is
/// unknown.
std::string media_time(std::int64_t nanoseconds);

/// Text: one line a caption, `00:00:03.200  cam1  a dog runs`; the last event of a segment gives
/// its whole stretch, `00:00:03.200-00:00:07.400  cam1  a dog runs`. JSON: one line an event of any
/// kind, as it was published.
class EventPrinter {
 public:
    enum class Format { Text, Json };

    EventPrinter(Format format, std::ostream& events, std::ostream& notices)
        : format_(format), events_(events), notices_(notices) {}

    /// True if a line was written to `events`; repetitions and, as text, events without text are
    /// not. Throws seesay::Error if it cannot be written.
    bool print(const elements::ReceivedEvent& event);
    /// A message that was no event; a flood of them is told at 1, 10, 100 …
    void print_refusal(const std::string& why);

 private:
    void print_notices(const elements::ReceivedEvent& event);
    std::string text_line(const elements::ReceivedEvent& event) const;

    Format format_;
    std::ostream& events_;
    std::ostream& notices_;
    std::uint64_t refused_ = 0;
    std::uint64_t next_refusal_told_ = 1;
};

}  // namespace seesay::tools
