// The treebank's spelling of quotes, brackets, dashes, fractions and currency.
#include "models/metrics/ptb_normalise.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "models/metrics/ptb_characters.hpp"

namespace seesay::metrics::ptb {
namespace {

constexpr char32_t kNoBreakSpace = 0xA0;

void replace_all(std::u32string& token, std::u32string_view old, std::u32string_view replacement) {
    for (auto at = token.find(old); at != std::u32string::npos;
         at = token.find(old, at + replacement.size()))
        token.replace(at, old.size(), replacement);
}

/// Replaces each of the characters.
void replace_each(std::u32string& token, std::u32string_view characters,
                  std::u32string_view replacement) {
    for (const char32_t character : characters)
        replace_all(token, std::u32string_view(&character, 1), replacement);
}

std::u32string quotes(std::u32string token, bool opening) {
    replace_all(token, U"&apos;", U"'");
    replace_all(token, U"&quot;", U"\"");
    replace_all(token, U"'", opening ? U"`" : U"'");
    replace_all(token, U"\"", opening ? U"``" : U"''");
    replace_each(token, std::u32string{0x91, 0x2018, 0x201B, 0x2039}, U"`");
    replace_each(token, std::u32string{0x92, 0x2019, 0x203A}, U"'");
    replace_each(token, std::u32string{0x93, 0x201C, 0xAB}, U"``");
    replace_each(token, std::u32string{0x94, 0x201D, 0xBB}, U"''");
    return token;
}

std::u32string without_soft_hyphens(std::u32string token) {
    replace_all(token, U"\u00AD", U"");
    return token.empty() ? U"-" : token;
}

std::u32string brackets(std::u32string token) {
    replace_all(token, U"(", U"-LRB-");
    replace_all(token, U")", U"-RRB-");
    return token;
}

std::u32string_view named_bracket(std::u32string_view token) {
    switch (token.front()) {
        case U'(':
            return U"-LRB-";
        case U')':
            return U"-RRB-";
        case U'[':
            return U"-LSB-";
        case U']':
            return U"-RSB-";
        case U'{':
            return U"-LCB-";
        case U'}':
            return U"-RCB-";
        default:
            break;
    }
    const bool less = token == U"<" || (token.size() > 1 && lower_case(token) == U"&lt;");
    return less ? U"<" : U">";
}

std::u32string joined(std::u32string token) {
    std::replace(token.begin(), token.end(), U' ', kNoBreakSpace);
    return token;
}

/// &amp; in any case.
std::u32string ampersand(std::u32string token) {
    for (std::size_t i = 0; i + 5 <= token.size(); ++i) {
        if (lower_case(std::u32string_view(token).substr(i, 5)) == U"&amp;") token.erase(i + 1, 4);
    }
    return token;
}

std::u32string currency(std::u32string token) {
    replace_all(token, U"\u00A2", U"cents");
    replace_all(token, U"\u00A3", U"#");
    replace_each(token, std::u32string{0x80, 0xA4, 0x20A0, 0x20AC}, U"$");
    return token;
}

std::u32string fraction(std::u32string token) {
    replace_all(token, U"\u00BC", U"1/4");
    replace_all(token, U"\u00BD", U"1/2");
    replace_all(token, U"\u00BE", U"3/4");
    replace_all(token, U"\u2153", U"1/3");
    replace_all(token, U"\u2154", U"2/3");
    return token;
}

bool has_case(char32_t character) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
           category == UTF8PROC_CATEGORY_LT;
}

/// Whether letters stand before the one at `index`, in the same word, and none behind it.
bool ends_word(std::u32string_view token, std::size_t index) {
    const auto in_word = [](char32_t c) {
        return word_letters().contains(c) || digits().contains(c);
    };
    std::size_t before = index;
    while (before > 0 && in_word(token[before - 1]) && !has_case(token[before - 1]))
        --before;
    if (before == 0 || !has_case(token[before - 1])) return false;
    std::size_t after = index + 1;
    while (after < token.size() && in_word(token[after]) && !has_case(token[after]))
        ++after;
    return after == token.size() || !has_case(token[after]);
}

std::u32string treat(std::u32string token, Treatment treatment) {
    switch (treatment) {
        case Treatment::kKeep:
        case Treatment::kSkip:
        case Treatment::kSplitLastTwo:
        case Treatment::kSplitLastThree:
        case Treatment::kSentencePeriod:
        case Treatment::kInitialPeriod:
            return token;
        case Treatment::kWord:
            return without_soft_hyphens(std::move(token));
        case Treatment::kQuoteBefore:
            return quotes(std::move(token), true);
        case Treatment::kQuoteAfter:
            return quotes(std::move(token), false);
        case Treatment::kDash:
            return U"--";
        case Treatment::kHyphens:
            return token.size() == 3 || token.size() == 4 ? U"--" : token;
        case Treatment::kEllipsis:
            return U"...";
        case Treatment::kAmpersand:
            return ampersand(std::move(token));
        case Treatment::kJoinSpaces:
            return joined(std::move(token));
        case Treatment::kJoinParentheses:
            return brackets(joined(std::move(token)));
        case Treatment::kParentheses:
            return brackets(std::move(token));
        case Treatment::kCurrency:
            return currency(std::move(token));
        case Treatment::kFraction:
            return fraction(std::move(token));
        case Treatment::kBracket:
            return std::u32string(named_bracket(token));
    }
    return token;
}

}  // namespace

std::u32string lower_case(std::u32string_view token) {
    std::u32string result;
    result.reserve(token.size());
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] == 0x130) {
            result += U"i\u0307";  // İ has no single lower-case letter
        } else if (token[i] == 0x3A3 && ends_word(token, i)) {
            result += 0x3C2;  // Σ at the end of a word
        } else {
            result +=
                static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(token[i])));
        }
    }
    return result;
}

std::u32string normalise(std::u32string_view matched, Treatment treatment) {
    return lower_case(treat(std::u32string(matched), treatment));
}

}  // namespace seesay::metrics::ptb
