// Bounds-checked reading of integers from bytes that may be damaged.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace seesay::vision {

/// Thrown for a read behind the end; callers turn it into a message that names the file.
struct EndOfBytes {};

/// A view of bytes with checked integer access in either byte order.
class ByteReader {
 public:
    explicit ByteReader(std::span<const std::uint8_t> bytes, bool big_endian = true)
        : bytes_(bytes), big_endian_(big_endian) {}

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

    /// `count` bytes (at most 4) at `at` as an unsigned number.
    [[nodiscard]] std::uint32_t number(std::size_t at, int count) const {
        std::uint32_t value = 0;
        for (int i = 0; i < count; ++i) {
            const std::size_t place = big_endian_ ? i : count - 1 - i;
            value = value << 8 | byte(at + place);
        }
        return value;
    }
    [[nodiscard]] std::uint8_t byte(std::size_t at) const {
        if (at >= bytes_.size()) throw EndOfBytes{};
        return bytes_[at];
    }
    [[nodiscard]] bool matches(std::size_t at, const char* text) const {
        const std::size_t length = std::strlen(text);
        return at <= bytes_.size() && length <= bytes_.size() - at &&
               std::memcmp(bytes_.data() + at, text, length) == 0;
    }
    [[nodiscard]] std::span<const std::uint8_t> slice(std::size_t at, std::size_t count) const {
        if (at > bytes_.size() || count > bytes_.size() - at) throw EndOfBytes{};
        return bytes_.subspan(at, count);
    }
    [[nodiscard]] std::span<const std::uint8_t> rest(std::size_t at) const {
        return slice(at, at > bytes_.size() ? 0 : bytes_.size() - at);
    }

 private:
    std::span<const std::uint8_t> bytes_;
    bool big_endian_;
};

}  // namespace seesay::vision
