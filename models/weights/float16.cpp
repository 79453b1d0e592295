// Conversion on the bit patterns, so that the result is the same on every machine.
#include "models/weights/float16.hpp"

#include <bit>
#include <cstring>

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {

std::uint16_t to_float16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16U) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {  // NaN, made quiet
        return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13U) & 0x1FFU));
    }
    if (magnitude >= 0x477FF000U) {  // 65520 and more round to infinity
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    }
    if (magnitude <= 0x33000000U) {  // up to 2⁻²⁵, half the smallest denormal: zero
        return static_cast<std::uint16_t>(sign);
    }
    // The result is mantissa · 2^(−shift) of steps; below 2⁻¹⁴ the steps stop shrinking.
    const std::uint32_t exponent = magnitude >> 23U;
    std::uint32_t mantissa = magnitude & 0x7FFFFFU;
    std::uint32_t shift = 13;
    if (exponent < 113) {  // a denormal: its leading one becomes explicit
        mantissa |= 0x800000U;
        shift = 126 - exponent;
    } else {
        mantissa |= (exponent - 112) << 23U;  // a carry out of rounding moves the exponent, rightly
    }
    const std::uint32_t rest = mantissa & ((1U << shift) - 1);
    const std::uint32_t half = 1U << (shift - 1);
    std::uint32_t result = mantissa >> shift;
    if (rest > half || (rest == half && (result & 1U) != 0)) {
        ++result;
    }
    return static_cast<std::uint16_t>(sign | result);
}

float from_float16(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    if (exponent == 0) {  // zero and denormals: steps of 2⁻²⁴
        const float value = static_cast<float>(mantissa) * 0x1p-24F;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + 112;
    return std::bit_cast<float>(sign | (wide << 23U) | (mantissa << 13U));
}

NamedTensor to_float16(const NamedTensor& tensor) {
    if (tensor.type != DataType::F32) {
        throw Error("tensor " + printable(tensor.name) + ": is " + name_of(tensor.type) +
                    ", not float32");
    }
    const std::size_t count = tensor.bytes.size() / sizeof(float);
    auto buffer = std::make_shared<std::vector<std::byte>>(count * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < count; ++i) {
        float value = 0.F;
        std::memcpy(&value, tensor.bytes.data() + i * sizeof(float), sizeof(float));
        const std::uint16_t half = to_float16(value);
        if ((half & 0x7FFFU) == 0x7C00U &&
            (std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU) != 0x7F800000U) {
            throw Error("tensor " + printable(tensor.name) + ": element " + std::to_string(i) +
                        " is too large for float16 (65504)");
        }
        std::memcpy(buffer->data() + i * sizeof(half), &half, sizeof(half));
    }
    return {tensor.name, DataType::F16, tensor.shape, *buffer, buffer};
}

}  // namespace seesay::weights
