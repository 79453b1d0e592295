// Tokenizer: caption text to training words and back. The only user of utf8proc in models/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seesay::language {

/// Cuts captions into words and joins words into sentences, by the rules of one language.
///
/// Text is brought to Unicode NFC and lower case. Words are runs of letters, combining marks and
/// digits; everything else separates them and is dropped, except
/// - an apostrophe between letters stays (o'clock), but the English clitics 's 'm 'd 'll 're 've
/// n't
///   are words of their own, as the Penn Treebank has them, whether or not a blank stands before
///   them: "man's" and "man 's" both give `man` `'s`, "don't" gives `do` `n't`. Typographic
///   apostrophes become plain ones;
/// - a hyphen between letters or digits stays (t-shirt, 3-year-old);
/// - a point, comma or colon between two digits stays (2.5, 1,000, 10:30).
/// Invisible format characters (soft hyphen, joiners, direction marks) vanish without separating.
///
/// Languages that are written without blanks (zh, yue, ja) are cut into single characters; runs of
/// digits and of Latin letters stay together there too.
class Tokenizer {
 public:
    /// `language` is a BCP 47 tag; only its first part matters.
    explicit Tokenizer(std::string_view language);

    /// The words of a caption, possibly none. Throws Error if `caption` is not valid UTF-8.
    [[nodiscard]] std::vector<std::string> words(std::string_view caption) const;

    /// The words as one line: blanks between them, none before a clitic and none beside a character
    /// of a language without blanks. `words(sentence(w))` gives `w` back for words of `words`.
    [[nodiscard]] std::string sentence(const std::vector<std::string>& words) const;

 private:
    bool by_character_ = false;
    bool clitics_ = false;
};

/// True if `text` is well-formed UTF-8.
bool is_valid_utf8(std::string_view text);

/// True if `text` (valid UTF-8) holds a control character or one that overrides the direction of
/// writing: neither belongs in a word that will be shown.
bool has_control_characters(std::string_view text);

}  // namespace seesay::language
