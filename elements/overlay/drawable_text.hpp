// Caption text as it is drawn, and where its words lie in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seesay::overlay {

/// Bytes begin…end of a text; empty where a word was not found.
struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool empty() const { return begin >= end; }
};

/// `text` as clean_text() makes it, white space trimmed, at most four combining marks in a row
/// (stacks of them would leave the box), cut after `most_characters` code points so that laying out
/// cost is bounded.
std::string drawable_text(std::string_view text, std::size_t most_characters);

/// Where each of `words` stands in `text`: in order, ignoring case, without overlap. Both are
/// cleaned text.
std::vector<TextRange> find_words(std::string_view text, const std::vector<std::string>& words);

}  // namespace seesay::overlay
