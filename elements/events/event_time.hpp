// Wall-clock times as events write them.
#pragma once

#include <cstdint>
#include <string>

namespace seesay::elements {

/// Microseconds since the Unix epoch, now.
std::int64_t wall_clock_now_us();

/// RFC 3339 in UTC with microseconds: `2024-02-29T23:59:59.000001Z`. Times outside the years
/// 0–9999, which the format cannot hold, become its nearest end.
std::string rfc3339_utc(std::int64_t microseconds_since_epoch);

}  // namespace seesay::elements
