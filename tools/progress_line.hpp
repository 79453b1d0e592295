// ProgressLine: how far a long job is, on standard error. A bar that is redrawn on a terminal, a
// line now and then in a pipe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace seesay::tools {

/// "12m 05s", "1h 02m", "43s".
std::string format_duration(double seconds);

class ProgressLine {
 public:
    /// `quiet`: show nothing.
    explicit ProgressLine(bool quiet);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `done` of `all` (0: unknown) of `stage`, with more to say behind. The remaining time is
    /// reckoned from the pace since this stage's first call.
    void show(const std::string& stage, std::int64_t done, std::int64_t all,
              const std::string& more = {});

    /// The same for a film: position and length in nanoseconds, −1 where the length is unknown.
    void show_time(std::int64_t position_ns, std::int64_t duration_ns, const std::string& more);

    [[nodiscard]] bool on_terminal() const { return terminal_ && !quiet_; }
    /// Takes the bar away until the next show.
    void hide() { clear(); }

    /// Takes the bar away, prints `text` as a line of its own.
    void line(const std::string& text);

    /// The same, also when quiet: why a result is not whole.
    void complain(const std::string& text);

 private:
    void clear();
    [[nodiscard]] bool due(const std::string& stage, std::int64_t done, bool last);
    void draw(std::string text, std::int64_t done, std::int64_t all, const std::string& more);

    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    std::string stage_;
    std::int64_t first_done_ = 0;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point shown_;
};

}  // namespace seesay::tools
