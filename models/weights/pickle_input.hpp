// PickleInput: a bounded cursor over a pickle's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace seesay::weights {

/// Every read is checked; what does not fit throws Error with the byte position.
class PickleInput {
 public:
    PickleInput(std::span<const std::byte> bytes, const std::string& origin)
        : bytes_(bytes), origin_(origin) {}

    [[nodiscard]] std::size_t position() const { return position_; }
    std::uint8_t byte();
    /// Little-endian unsigned integer of `width` bytes, 1…8.
    std::uint64_t integer(std::size_t width);
    /// The next `count` bytes.
    std::string_view take(std::uint64_t count);
    /// Up to the next line feed, which is consumed and not returned.
    std::string_view line();
    /// Big-endian IEEE double.
    double real();

    [[noreturn]] void fail(const std::string& what) const;

 private:
    std::span<const std::byte> bytes_;
    const std::string& origin_;
    std::size_t position_ = 0;
};

/// The text forms of protocol 0. They throw through `input.fail`.
std::int64_t parse_decimal(std::string_view text, const PickleInput& input);
/// Decimal of any length (with or without Python 2's final L) as BigInteger bytes; see PickleValue.
std::string parse_long(std::string_view text, const PickleInput& input);
double parse_real(std::string_view text, const PickleInput& input);
/// A quoted Python string literal, with its escapes.
std::string parse_quoted(std::string_view text, const PickleInput& input);
/// raw-unicode-escape: `\uXXXX` and `\UXXXXXXXX`, other bytes Latin-1; the result is UTF-8.
std::string parse_raw_unicode(std::string_view text, const PickleInput& input);
/// UTF-8 whose code points are below 256, as those bytes (`_codecs.encode(text, "latin1")`).
std::string latin1_bytes(std::string_view text, const PickleInput& input);

}  // namespace seesay::weights
