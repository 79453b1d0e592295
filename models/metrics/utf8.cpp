// Decoding that survives any bytes, and encoding.
#include "models/metrics/utf8.hpp"

#include <cstddef>

namespace seesay::metrics {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// What a lead byte promises: how many bytes follow, its own bits, and the range of the second byte
/// (which excludes overlong forms, surrogates and values above U+10FFFF).
struct Lead {
    int following = -1;
    char32_t bits = 0;
    unsigned char lowest = 0x80;
    unsigned char highest = 0xBF;
};

Lead classify(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF) return {1, byte & 0x1FU};
    if (byte == 0xE0) return {2, 0, 0xA0, 0xBF};
    if (byte == 0xED) return {2, 0x0D, 0x80, 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {2, byte & 0x0FU};
    if (byte == 0xF0) return {3, 0, 0x90, 0xBF};
    if (byte == 0xF4) return {3, 4, 0x80, 0x8F};
    if (byte >= 0xF1 && byte <= 0xF3) return {3, byte & 0x07U};
    return {};
}

/// Calls `take(code_point, valid)` for each character or malformed part.
template <typename Take>
void for_each_character(std::string_view text, const Take& take) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i++]);
        if (first < 0x80) {
            take(static_cast<char32_t>(first), true);
            continue;
        }
        const Lead lead = classify(first);
        if (lead.following < 0) {
            take(kReplacement, false);
            continue;
        }
        char32_t code_point = lead.bits;
        int taken = 0;
        for (; taken < lead.following && i < text.size(); ++taken, ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            const unsigned char lowest = taken == 0 ? lead.lowest : 0x80;
            const unsigned char highest = taken == 0 ? lead.highest : 0xBF;
            if (byte < lowest || byte > highest) break;
            code_point = (code_point << 6) | (byte & 0x3FU);
        }
        const bool valid = taken == lead.following;
        take(valid ? code_point : kReplacement, valid);
    }
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
    std::u32string result;
    result.reserve(text.size());
    for_each_character(text, [&](char32_t code_point, bool) { result += code_point; });
    return result;
}

bool is_valid_utf8(std::string_view text) {
    bool all_valid = true;
    for_each_character(text, [&](char32_t, bool valid) { all_valid = all_valid && valid; });
    return all_valid;
}

void append_utf8(std::string& text, char32_t code_point) {
    if (code_point < 0x80) {
        text += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        text += static_cast<char>(0xC0 | (code_point >> 6));
        text += static_cast<char>(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        text += static_cast<char>(0xE0 | (code_point >> 12));
        text += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
        text += static_cast<char>(0x80 | (code_point & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | (code_point >> 18));
        text += static_cast<char>(0x80 | ((code_point >> 12) & 0x3F));
        text += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
        text += static_cast<char>(0x80 | (code_point & 0x3F));
    }
}

std::string encode_utf8(std::u32string_view code_points) {
    std::string text;
    text.reserve(code_points.size());
    for (const char32_t code_point : code_points)
        append_utf8(text, code_point);
    return text;
}

}  // namespace seesay::metrics
