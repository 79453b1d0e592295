// Escapes byte by byte; valid UTF-8 sequences pass whole.
#include "models/weights/printable.hpp"

#include <cstddef>

namespace seesay::weights {
namespace {

/// Bytes of the valid UTF-8 sequence that starts at `text[0]`; 0 if there is none. Overlong forms
/// and surrogates are only excluded as far as printing needs it.
std::size_t sequence_length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    return length;
}

}  // namespace

std::string printable(std::string_view text) {
    static constexpr std::size_t longest = 80;
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    std::size_t characters = 0;
    while (!text.empty() && characters < longest) {
        const auto first = static_cast<unsigned char>(text[0]);
        const std::size_t length = sequence_length(text);
        // U+0080…U+009F are control characters as well.
        const bool control =
            first < 0x20 || first == 0x7F ||
            (first == 0xC2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xA0);
        if (length == 0 || control) {
            result += "\\x";
            result += digits[first >> 4U];
            result += digits[first & 15U];
            text.remove_prefix(1);
        } else {
            result += text.substr(0, length);
            text.remove_prefix(length);
        }
        ++characters;
    }
    result += text.empty() ? "\"" : "…\"";
    return result;
}

}  // namespace seesay::weights
