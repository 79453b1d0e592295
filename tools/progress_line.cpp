// Drawing and pacing of the progress bar.
#include "tools/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace seesay::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPipeLine = std::chrono::seconds(30);
constexpr int kBarWidth = 24;

int terminal_width() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::string format_duration(double seconds) {
    const auto total = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
    char text[48];
    if (total >= 3600) {
        std::snprintf(text, sizeof text, "%ldh %02ldm", static_cast<long>(total / 3600),
                      static_cast<long>(total / 60 % 60));
    } else if (total >= 60) {
        std::snprintf(text, sizeof text, "%ldm %02lds", static_cast<long>(total / 60),
                      static_cast<long>(total % 60));
    } else {
        std::snprintf(text, sizeof text, "%lds", static_cast<long>(total));
    }
    return text;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {
}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::clear() {
    if (drawn_) {
        std::fputs("\r\033[K", stderr);
        drawn_ = false;
    }
}

// Whether it is time to show something again.
bool ProgressLine::due(const std::string& stage, std::int64_t done, bool last) {
    if (quiet_) {
        return false;
    }
    const auto now = Clock::now();
    if (stage != stage_) {
        stage_ = stage;
        first_done_ = done;
        started_ = now;
        shown_ = Clock::time_point{};
    }
    const auto wait = terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPipeLine);
    if (!last && shown_ != Clock::time_point{} && now - shown_ < wait) {
        return false;
    }
    shown_ = now;
    return true;
}

void ProgressLine::draw(std::string text, std::int64_t done, std::int64_t all,
                        const std::string& more) {
    std::string bar;
    if (all > 0) {
        const double part = static_cast<double>(done) / static_cast<double>(all);
        const int filled = std::clamp(static_cast<int>(kBarWidth * part), 0, kBarWidth);
        bar.append("[").append(static_cast<std::size_t>(filled), '=');
        bar.append(static_cast<std::size_t>(kBarWidth - filled), ' ').append("] ");
        const std::int64_t since = done - first_done_;
        if (since > 0 && done < all) {
            const double pace = seconds_since(started_) / static_cast<double>(since);
            text.append("  ")
                .append(format_duration(pace * static_cast<double>(all - done)))
                .append(" left");
        }
    }
    if (!more.empty()) {
        text.append("  ").append(more);
    }
    if (!terminal_) {
        std::fprintf(stderr, "%s\n", text.c_str());
        return;
    }
    bar.append(text);
    std::fprintf(stderr, "\r\033[K%s",
                 bar.substr(0, static_cast<std::size_t>(terminal_width() - 1)).c_str());
    std::fflush(stderr);
    drawn_ = true;
}

void ProgressLine::show(const std::string& stage, std::int64_t done, std::int64_t all,
                        const std::string& more) {
    if (!due(stage, done, all > 0 && done >= all)) {
        return;
    }
    std::string text = stage;
    text.append("  ").append(std::to_string(done));
    if (all > 0) {
        text.append("/").append(std::to_string(all));
    }
    draw(std::move(text), done, all, more);
}

void ProgressLine::show_time(std::int64_t position_ns, std::int64_t duration_ns,
                             const std::string& more) {
    if (!due("film", position_ns, false)) {
        return;
    }
    std::string text = format_duration(static_cast<double>(position_ns) * 1e-9);
    if (duration_ns > 0) {
        text.append(" of ").append(format_duration(static_cast<double>(duration_ns) * 1e-9));
    }
    draw(std::move(text), position_ns, duration_ns, more);
}

void ProgressLine::line(const std::string& text) {
    if (!quiet_) {
        complain(text);
    }
}

void ProgressLine::complain(const std::string& text) {
    clear();
    std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace seesay::tools
