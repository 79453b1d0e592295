// IEEE 754 half precision: the number format of attention in an event's binary frame.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace seesay::elements {

/// The nearest float16 (ties to even) as its 16 bits. The result is always finite: what is not a
/// number becomes 0, and what is too large becomes ±65504.
std::uint16_t to_float16(float value);

/// `values` as little-endian float16, two bytes each.
std::string float16_bytes(std::span<const float> values);

}  // namespace seesay::elements
