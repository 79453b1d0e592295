// Works on the bit patterns: an exponent of all ones is NaN or infinity.
#include "models/weights/finite.hpp"

#include <algorithm>
#include <cstring>

namespace seesay::weights {
namespace {

template <typename Bits>
std::optional<std::int64_t> first_with_exponent(std::span<const std::byte> bytes, Bits exponent) {
    const std::size_t count = bytes.size() / sizeof(Bits);
    // Blocks without a branch first: whole models are scanned at every start.
    constexpr std::size_t block = 1024;
    for (std::size_t start = 0; start < count; start += block) {
        const std::size_t end = std::min(count, start + block);
        bool found = false;
        for (std::size_t i = start; i < end; ++i) {
            Bits value = 0;
            std::memcpy(&value, bytes.data() + i * sizeof(Bits), sizeof(Bits));
            found |= (value & exponent) == exponent;
        }
        for (std::size_t i = start; found && i < end; ++i) {
            Bits value = 0;
            std::memcpy(&value, bytes.data() + i * sizeof(Bits), sizeof(Bits));
            if ((value & exponent) == exponent) {
                return static_cast<std::int64_t>(i);
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> first_non_finite(const NamedTensor& tensor) {
    switch (tensor.type) {
        case DataType::F16:
            return first_with_exponent<std::uint16_t>(tensor.bytes, 0x7C00);
        case DataType::BF16:
            return first_with_exponent<std::uint16_t>(tensor.bytes, 0x7F80);
        case DataType::F32:
            return first_with_exponent<std::uint32_t>(tensor.bytes, 0x7F800000);
        case DataType::F64:
            return first_with_exponent<std::uint64_t>(tensor.bytes, 0x7FF0000000000000);
        default:
            return std::nullopt;
    }
}

}  // namespace seesay::weights
