// UTF-8 to code points and back.
#pragma once

#include <string>
#include <string_view>

namespace seesay::metrics {

/// Code points of `text`; each malformed sequence (overlong, surrogate, cut, above U+10FFFF)
/// becomes one U+FFFD per maximal part, as Java's and Python's decoders do.
std::u32string decode_utf8(std::string_view text);

std::string encode_utf8(std::u32string_view code_points);

bool is_valid_utf8(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace seesay::metrics
