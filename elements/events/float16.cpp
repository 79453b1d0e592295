// Rounding float32 to float16 on the bits, independent of the processor's own conversion.
#include "elements/events/float16.hpp"

#include <bit>
#include <cmath>

namespace seesay::elements {
namespace {

constexpr std::uint16_t kLargest = 0x7BFF;  // 65504

/// `mantissa` without its lowest `shift` bits, rounded to nearest, ties to even.
std::uint32_t shift_rounding(std::uint32_t mantissa, int shift) {
    const std::uint32_t kept = mantissa >> shift;
    const std::uint32_t rest = mantissa & ((1U << shift) - 1U);
    const std::uint32_t half = 1U << (shift - 1);
    const bool up = rest > half || (rest == half && (kept & 1U) != 0);
    return kept + (up ? 1U : 0U);
}

}  // namespace

std::uint16_t to_float16(float value) {
    if (std::isnan(value)) {
        return 0;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
    const int exponent = static_cast<int>((bits >> 23U) & 0xFFU) - 127 + 15;
    const std::uint32_t mantissa = bits & 0x7FFFFFU;
    if (exponent >= 31) {
        return sign | kLargest;
    }
    if (exponent <= -11) {
        return sign;  // below half of the smallest subnormal
    }
    std::uint32_t magnitude = 0;
    if (exponent <= 0) {
        magnitude = shift_rounding(mantissa | 0x800000U, 14 - exponent);
    } else {
        // A carry out of the mantissa goes into the exponent, where it belongs.
        magnitude = (static_cast<std::uint32_t>(exponent) << 10U) + shift_rounding(mantissa, 13);
    }
    return sign | (magnitude > kLargest ? kLargest : static_cast<std::uint16_t>(magnitude));
}

std::string float16_bytes(std::span<const float> values) {
    std::string bytes;
    bytes.reserve(values.size() * 2);
    for (const float value : values) {
        const std::uint16_t half = to_float16(value);
        bytes += static_cast<char>(half & 0xFFU);
        bytes += static_cast<char>(half >> 8U);
    }
    return bytes;
}

}  // namespace seesay::elements
