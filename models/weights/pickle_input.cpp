// Bounds of a pickle's bytes, and the text forms of its oldest protocol.
#include "models/weights/pickle_input.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "models/error.hpp"

namespace seesay::weights {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
    if (code < 0x80) {
        out.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
        out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
        out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
    } else if (code < 0x10000) {
        out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
        out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
        out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
    } else {
        out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
        out.push_back(static_cast<char>(0x80U | ((code >> 12U) & 0x3FU)));
        out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
        out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
    }
}

/// `digits` hexadecimal digits at the start of `text`.
std::uint32_t hexadecimal(std::string_view text, std::size_t digits, const PickleInput& input) {
    std::uint32_t value = 0;
    if (text.size() < digits) {
        input.fail("a string escape is cut");
    }
    const char* end = text.data() + digits;
    const auto result = std::from_chars(text.data(), end, value, 16);
    if (result.ec != std::errc{} || result.ptr != end) {
        input.fail("a string escape is not hexadecimal");
    }
    return value;
}

}  // namespace

void PickleInput::fail(const std::string& what) const {
    throw Error(origin_ + ": pickle: " + what + " (at byte " + std::to_string(position_) + ")");
}

std::string_view PickleInput::take(std::uint64_t count) {
    if (count > bytes_.size() - position_) {
        fail("ends too early; the file is cut or damaged");
    }
    const std::string_view result(reinterpret_cast<const char*>(bytes_.data()) + position_,
                                  static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return result;
}

std::uint8_t PickleInput::byte() {
    return static_cast<std::uint8_t>(take(1)[0]);
}

std::uint64_t PickleInput::integer(std::size_t width) {
    const std::string_view text = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
        value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(text[i])) << (8 * i);
    }
    return value;
}

std::string_view PickleInput::line() {
    const auto rest = bytes_.subspan(position_);
    const auto end = std::find(rest.begin(), rest.end(), std::byte{'\n'});
    if (end == rest.end()) {
        fail("a text line has no end; the file is cut or damaged");
    }
    const std::string_view result = take(static_cast<std::uint64_t>(end - rest.begin()));
    ++position_;
    return result;
}

double PickleInput::real() {
    const std::string_view text = take(8);
    std::uint64_t bits = 0;
    for (const char c : text) {
        bits = (bits << 8U) | static_cast<std::uint8_t>(c);
    }
    return std::bit_cast<double>(bits);
}

std::int64_t parse_decimal(std::string_view text, const PickleInput& input) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
        input.fail("a number is not an integer of 64 bits");
    }
    return value;
}

std::string parse_long(std::string_view text, const PickleInput& input) {
    if (text.ends_with('L')) {
        text.remove_suffix(1);
    }
    const bool negative = text.starts_with('-');
    if (negative) {
        text.remove_prefix(1);
    }
    if (text.empty() || text.size() > 1000) {
        input.fail("a long number is empty or has more than 1000 digits");
    }
    std::string magnitude;  // little-endian, base 256
    for (const char digit : text) {
        if (digit < '0' || digit > '9') {
            input.fail("a long number is not decimal");
        }
        unsigned int carry = static_cast<unsigned int>(digit - '0');
        for (char& place : magnitude) {
            carry += 10U * static_cast<std::uint8_t>(place);
            place = static_cast<char>(carry & 0xFFU);
            carry >>= 8U;
        }
        if (carry != 0) {
            magnitude.push_back(static_cast<char>(carry));
        }
    }
    magnitude.push_back('\0');  // the sign
    if (negative) {
        unsigned int carry = 1;
        for (char& place : magnitude) {
            carry += static_cast<std::uint8_t>(~static_cast<std::uint8_t>(place));
            place = static_cast<char>(carry & 0xFFU);
            carry >>= 8U;
        }
    }
    return magnitude;
}

double parse_real(std::string_view text, const PickleInput& input) {
    double value = 0.0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
        input.fail("a number is not a float");
    }
    return value;
}

std::string parse_quoted(std::string_view text, const PickleInput& input) {
    if (text.size() < 2 || text.front() != text.back() ||
        (text.front() != '\'' && text.front() != '"')) {
        input.fail("a string has no quotes");
    }
    text = text.substr(1, text.size() - 2);
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            result.push_back(text[i]);
            continue;
        }
        if (++i == text.size()) {
            input.fail("a string escape is cut");
        }
        static constexpr std::string_view names = "\\'\"abfnrtv";
        static constexpr std::string_view values = "\\'\"\a\b\f\n\r\t\v";
        if (const std::size_t known = names.find(text[i]); known != std::string_view::npos) {
            result.push_back(values[known]);
        } else if (text[i] == 'x') {
            result.push_back(static_cast<char>(hexadecimal(text.substr(i + 1), 2, input)));
            i += 2;
        } else {
            input.fail("a string escape is not known");
        }
    }
    return result;
}

std::string parse_raw_unicode(std::string_view text, const PickleInput& input) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size();
        const std::size_t digits = escape && text[i + 1] == 'u'   ? 4
                                   : escape && text[i + 1] == 'U' ? 8
                                                                  : 0;
        if (digits == 0) {
            append_utf8(result, static_cast<std::uint8_t>(text[i]));
            continue;
        }
        const std::uint32_t code = hexadecimal(text.substr(i + 2), digits, input);
        if (code > 0x10FFFF) {
            input.fail("a string escape is not Unicode");
        }
        append_utf8(result, code);
        i += 1 + digits;
    }
    return result;
}

std::string latin1_bytes(std::string_view text, const PickleInput& input) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<std::uint8_t>(text[i]);
        if (first < 0x80) {
            result.push_back(text[i]);
        } else if ((first == 0xC2 || first == 0xC3) && i + 1 < text.size() &&
                   (static_cast<std::uint8_t>(text[i + 1]) & 0xC0U) == 0x80) {
            ++i;
            result.push_back(static_cast<char>(((first & 3U) << 6U) |
                                               (static_cast<std::uint8_t>(text[i]) & 0x3FU)));
        } else {
            input.fail("a Latin-1 string holds another character");
        }
    }
    return result;
}

}  // namespace seesay::weights
