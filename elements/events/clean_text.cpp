// UTF-8 decoding with replacement, and the list of characters that are not let through.
#include "elements/events/clean_text.hpp"

#include <cstddef>
#include <cstdint>

namespace seesay::elements {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
    std::uint32_t code_point = 0;
    std::size_t bytes = 1;  ///< read; for a malformed sequence the length of its maximal part
    bool valid = false;
};

/// The lengths and the allowed range of the second byte (Unicode, table 3-7), which rules out
/// overlong forms, surrogates and everything above U+10FFFF.
struct Lead {
    std::size_t bytes = 0;  ///< 0: no sequence begins with this byte
    std::uint32_t bits = 0;
    std::uint8_t second_min = 0x80;
    std::uint8_t second_max = 0xBF;
};

Lead describe_lead(std::uint8_t byte) {
    Lead lead;
    if (byte >= 0xC2 && byte <= 0xDF) {
        lead = {2, byte & 0x1FU};
    } else if (byte >= 0xE0 && byte <= 0xEF) {
        lead = {3, byte & 0x0FU};
        lead.second_min = byte == 0xE0 ? 0xA0 : 0x80;
        lead.second_max = byte == 0xED ? 0x9F : 0xBF;
    } else if (byte >= 0xF0 && byte <= 0xF4) {
        lead = {4, byte & 0x07U};
        lead.second_min = byte == 0xF0 ? 0x90 : 0x80;
        lead.second_max = byte == 0xF4 ? 0x8F : 0xBF;
    }
    return lead;
}

Decoded decode(std::string_view text) {
    const auto first = static_cast<std::uint8_t>(text[0]);
    if (first < 0x80) {
        return {first, 1, true};
    }
    const Lead lead = describe_lead(first);
    if (lead.bytes == 0) {
        return {};
    }
    Decoded result{lead.bits, 1, false};
    for (; result.bytes < lead.bytes; ++result.bytes) {
        if (result.bytes >= text.size()) {
            return result;
        }
        const auto byte = static_cast<std::uint8_t>(text[result.bytes]);
        const bool second = result.bytes == 1;
        if (byte < (second ? lead.second_min : 0x80) || byte > (second ? lead.second_max : 0xBF)) {
            return result;
        }
        result.code_point = (result.code_point << 6U) | (byte & 0x3FU);
    }
    result.valid = true;
    return result;
}

bool breaks_the_line(std::uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_unwanted(std::uint32_t c) {
    const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
    const bool bidi = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool noncharacter = (c & 0xFFFEU) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
    return control || bidi || noncharacter || c == 0xFEFF;
}

}  // namespace

std::string clean_text(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const Decoded character = decode(text);
        if (!character.valid) {
            clean += kReplacement;
        } else if (breaks_the_line(character.code_point)) {
            clean += ' ';
        } else if (!is_unwanted(character.code_point)) {
            clean += text.substr(0, character.bytes);
        }
        text.remove_prefix(character.bytes);
    }
    return clean;
}

}  // namespace seesay::elements
