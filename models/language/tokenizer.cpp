// Tokenizer: the rules of tokenizer.hpp on code points classified by utf8proc.
#include "models/language/tokenizer.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "models/error.hpp"

namespace seesay::language {
namespace {

using CodePoint = utf8proc_int32_t;

const utf8proc_uint8_t* bytes_of(std::string_view text) {
    return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

/// Decodes one code point at `position` and advances; -1 for malformed UTF-8.
CodePoint next_code_point(std::string_view text, std::size_t& position) {
    CodePoint code_point = -1;
    const auto taken =
        utf8proc_iterate(bytes_of(text) + position,
                         static_cast<utf8proc_ssize_t>(text.size() - position), &code_point);
    if (taken <= 0) {
        return -1;
    }
    position += static_cast<std::size_t>(taken);
    return code_point;
}

void append(std::string& text, CodePoint code_point) {
    std::array<utf8proc_uint8_t, 4> encoded{};
    const auto size = utf8proc_encode_char(code_point, encoded.data());
    text.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size));
}

/// NFC, lower case, NFC again (lower-casing can leave marks that compose).
std::vector<CodePoint> normalised(std::string_view text) {
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    std::vector<CodePoint> code_points;
    std::string current(text);
    for (const bool lower : {true, false}) {
        utf8proc_uint8_t* mapped = nullptr;
        const auto size = utf8proc_map(
            bytes_of(current), static_cast<utf8proc_ssize_t>(current.size()), &mapped, options);
        const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
        if (size < 0) {
            throw Error("a caption is not valid UTF-8 text: \"" + std::string(text.substr(0, 40)) +
                        "\"; convert the file to UTF-8");
        }
        const std::string_view view(reinterpret_cast<const char*>(mapped),
                                    static_cast<std::size_t>(size));
        code_points.clear();
        std::string next;
        for (std::size_t i = 0; i < view.size();) {
            CodePoint code_point = next_code_point(view, i);
            code_point = lower ? utf8proc_tolower(code_point) : code_point;
            code_points.push_back(code_point);
            append(next, code_point);
        }
        current = std::move(next);
    }
    return code_points;
}

enum class Class {
    Letter,
    Ideograph,
    Mark,
    Digit,
    Apostrophe,
    Hyphen,
    NumberMark,
    Invisible,
    Other
};

Class class_of(CodePoint code_point) {
    switch (code_point) {
        case 0x27:
        case 0x2019:
        case 0x02BC:
            return Class::Apostrophe;
        case '-':
        case 0x2010:
        case 0x2011:
            return Class::Hyphen;
        case '.':
        case ',':
        case ':':
            return Class::NumberMark;
        case 0x200B:  // zero-width space: a place to break
            return Class::Other;
        default:
            break;
    }
    switch (utf8proc_category(code_point)) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
            return Class::Letter;
        case UTF8PROC_CATEGORY_LO:
            return Class::Ideograph;
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
            return Class::Mark;
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_NO:
            return Class::Digit;
        case UTF8PROC_CATEGORY_CF:
            return Class::Invisible;
        default:
            return Class::Other;
    }
}

bool is_letter(Class c) {
    return c == Class::Letter || c == Class::Ideograph || c == Class::Mark;
}
bool is_word_part(Class c) {
    return is_letter(c) || c == Class::Digit;
}

/// May a mark of class `c` stay inside a word, between neighbours of these classes?
bool joins(Class c, Class before, Class after) {
    switch (c) {
        case Class::Apostrophe:
            return is_letter(before) && is_letter(after);
        case Class::Hyphen:
            return is_word_part(before) && is_word_part(after);
        case Class::NumberMark:
            return before == Class::Digit && after == Class::Digit;
        default:
            return false;
    }
}

constexpr std::array<std::string_view, 7> kClitics = {"'s", "'m", "'d", "'ll", "'re", "'ve", "n't"};

bool is_clitic(std::string_view word) {
    return std::find(kClitics.begin(), kClitics.end(), word) != kClitics.end();
}

/// Appends `word`, with an English clitic at its end cut off as a word of its own.
void push_word(std::vector<std::string>& words, std::string word, bool clitics) {
    if (clitics) {
        for (const auto clitic : kClitics) {
            if (word.size() > clitic.size() && word.ends_with(clitic)) {
                words.push_back(word.substr(0, word.size() - clitic.size()));
                words.emplace_back(clitic);
                return;
            }
        }
    }
    words.push_back(std::move(word));
}

/// A clitic that stands alone ("dog 's"), from its apostrophe at `i` on; empty if there is none.
std::string_view lone_clitic(const std::vector<CodePoint>& text, std::size_t i) {
    for (const auto clitic : kClitics) {
        const std::string_view letters = clitic.substr(1);
        if (clitic.front() != '\'' || i + letters.size() >= text.size() ||
            !std::equal(letters.begin(), letters.end(), text.begin() + static_cast<long>(i) + 1)) {
            continue;
        }
        const std::size_t after = i + 1 + letters.size();
        if (after == text.size() || !is_word_part(class_of(text[after]))) {
            return clitic;
        }
    }
    return {};
}

std::string_view first_subtag(std::string_view language) {
    return language.substr(0, language.find_first_of("-_"));
}

}  // namespace

Tokenizer::Tokenizer(std::string_view language) {
    const std::string_view primary = first_subtag(language);
    by_character_ = primary == "zh" || primary == "yue" || primary == "ja";
    clitics_ = primary == "en";
}

std::vector<std::string> Tokenizer::words(std::string_view caption) const {
    std::vector<CodePoint> text = normalised(caption);
    std::erase_if(text, [](CodePoint c) { return class_of(c) == Class::Invisible; });
    std::vector<std::string> words;
    std::string word;
    const auto finish = [&] {
        if (!word.empty()) {
            push_word(words, std::move(word), clitics_);
            word.clear();
        }
    };
    const auto class_at = [&](std::size_t i) {
        return i < text.size() ? class_of(text[i]) : Class::Other;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const Class kind = class_at(i);
        if (by_character_ && kind == Class::Ideograph) {
            finish();
            append(word, text[i]);
            while (class_at(i + 1) == Class::Mark) {
                append(word, text[++i]);
            }
            finish();
        } else if (is_word_part(kind)) {
            append(word, text[i]);
        } else if (!word.empty() && joins(kind, class_at(i - 1), class_at(i + 1)) &&
                   !(by_character_ && class_at(i + 1) == Class::Ideograph)) {
            append(word, kind == Class::Apostrophe ? '\'' : kind == Class::Hyphen ? '-' : text[i]);
        } else {
            finish();
            if (clitics_ && kind == Class::Apostrophe && !words.empty()) {
                if (const auto clitic = lone_clitic(text, i); !clitic.empty()) {
                    words.emplace_back(clitic);
                    i += clitic.size() - 1;
                }
            }
        }
    }
    finish();
    return words;
}

std::string Tokenizer::sentence(const std::vector<std::string>& words) const {
    const auto is_character = [](const std::string& word) {
        std::size_t position = 0;
        const CodePoint first = word.empty() ? -1 : next_code_point(word, position);
        return first >= 0 && class_of(first) == Class::Ideograph;
    };
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool attached =
            (clitics_ && is_clitic(words[i])) ||
            (by_character_ && i > 0 && (is_character(words[i]) || is_character(words[i - 1])));
        if (!text.empty() && !attached) {
            text += ' ';
        }
        text += words[i];
    }
    return text;
}

bool is_valid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        if (next_code_point(text, i) < 0) {
            return false;
        }
    }
    return true;
}

bool has_control_characters(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = next_code_point(text, i);
        const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
        const bool separator = c == 0x2028 || c == 0x2029;
        if (c < 0 || direction || separator || utf8proc_category(c) == UTF8PROC_CATEGORY_CC) {
            return true;
        }
    }
    return false;
}

}  // namespace seesay::language
