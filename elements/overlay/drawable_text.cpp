// Trimming, limits and word search over code points.
#include "elements/overlay/drawable_text.hpp"

#include <glib.h>

#include "elements/events/clean_text.hpp"

namespace seesay::overlay {
namespace {

constexpr std::size_t kMarksInARow = 4;

bool combines(gunichar character) {
    const GUnicodeType type = g_unichar_type(character);
    return type == G_UNICODE_NON_SPACING_MARK || type == G_UNICODE_ENCLOSING_MARK;
}

/// End of `word` in `text` if it stands at `position`, else 0.
std::size_t match_end(std::string_view text, std::size_t position, std::string_view word) {
    const char* at = text.data() + position;
    const char* const end = text.data() + text.size();
    for (const char* w = word.data(); w < word.data() + word.size(); w = g_utf8_next_char(w)) {
        if (at >= end ||
            g_unichar_tolower(g_utf8_get_char(at)) != g_unichar_tolower(g_utf8_get_char(w))) {
            return 0;
        }
        at = g_utf8_next_char(at);
    }
    return static_cast<std::size_t>(at - text.data());
}

}  // namespace

std::string drawable_text(std::string_view text, std::size_t most_characters) {
    // A code point has at most four bytes; cutting first keeps the cleaning short, too.
    const std::string clean = elements::clean_text(text.substr(0, most_characters * 4));
    std::string drawable;
    drawable.reserve(clean.size());
    std::size_t characters = 0;
    std::size_t marks = 0;
    const char* const end = clean.data() + clean.size();
    for (const char* at = clean.data(); at < end && characters < most_characters;
         at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);
        marks = combines(character) ? marks + 1 : 0;
        const bool leading_space = drawable.empty() && g_unichar_isspace(character);
        if (marks <= kMarksInARow && !leading_space) {
            drawable.append(at, static_cast<std::size_t>(g_utf8_next_char(at) - at));
            ++characters;
        }
    }
    while (!drawable.empty() && drawable.back() == ' ') {
        drawable.pop_back();
    }
    return drawable;
}

std::vector<TextRange> find_words(std::string_view text, const std::vector<std::string>& words) {
    std::vector<TextRange> ranges(words.size());
    std::size_t from = 0;
    for (std::size_t i = 0; i < words.size() && from < text.size(); ++i) {
        if (words[i].empty()) {
            continue;
        }
        for (std::size_t position = from; position < text.size();
             position =
                 static_cast<std::size_t>(g_utf8_next_char(text.data() + position) - text.data())) {
            const std::size_t end = match_end(text, position, words[i]);
            if (end > 0) {
                ranges[i] = {position, end};
                from = end;
                break;
            }
        }
    }
    return ranges;
}

}  // namespace seesay::overlay
