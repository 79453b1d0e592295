// RFC 3339 by calendar arithmetic, without locale or time zone data.
#include "elements/events/event_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace seesay::elements {
namespace chrono = std::chrono;

std::int64_t wall_clock_now_us() {
    const auto now = chrono::system_clock::now().time_since_epoch();
    return chrono::duration_cast<chrono::microseconds>(now).count();
}

std::string rfc3339_utc(std::int64_t microseconds_since_epoch) {
    constexpr std::int64_t kYear0 = -62'167'219'200'000'000;
    constexpr std::int64_t kYear9999End = 253'402'300'799'999'999;
    const chrono::sys_time<chrono::microseconds> time{
        chrono::microseconds{std::clamp(microseconds_since_epoch, kYear0, kYear9999End)}};
    const auto day = chrono::floor<chrono::days>(time);
    const chrono::year_month_day date{day};
    const chrono::hh_mm_ss clock{time - day};
    std::array<char, 64> text{};
    const int length = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
        static_cast<int>(clock.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace seesay::elements
