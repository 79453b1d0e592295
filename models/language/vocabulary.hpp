// Vocabulary: the words a captioner knows, by number. File vocabulary.json of a captioner package.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seesay::language {

/// The special tokens, by the names they have in the file. Their position in the list is free.
inline constexpr std::string_view kPadToken = "<pad>";
inline constexpr std::string_view kStartToken = "<start>";
inline constexpr std::string_view kEndToken = "<end>";
inline constexpr std::string_view kUnknownToken = "<unk>";

/// Words and their numbers, 0 to size − 1. Holds the four special tokens and at least one word.
class Vocabulary {
 public:
    /// From the text of a vocabulary.json:
    /// `{"format_version":1,"language":"en","tokens":["<pad>",…]}`. `origin` names the file in
    /// messages. Throws Error for wrong types, an unknown version, a missing special token, an
    /// empty list, duplicates, invalid UTF-8 and control characters.
    static Vocabulary parse(std::string_view json, const std::string& origin);

    /// From all tokens in order, special ones included. Same checks.
    static Vocabulary from_tokens(std::string language, std::vector<std::string> tokens,
                                  const std::string& origin = "vocabulary");

    [[nodiscard]] int size() const { return static_cast<int>(tokens_.size()); }
    /// The word of an id in 0…size−1; throws Error otherwise.
    [[nodiscard]] const std::string& word(int id) const;
    /// The id of a word, or nothing where it is not in the list.
    [[nodiscard]] std::optional<int> find(std::string_view word) const;
    /// The id of a word, `unknown()` where it is not in the list.
    [[nodiscard]] int id(std::string_view word) const { return find(word).value_or(unknown_); }
    /// The ids of several words.
    [[nodiscard]] std::vector<int> ids(const std::vector<std::string>& words) const;

    [[nodiscard]] int pad() const { return pad_; }
    [[nodiscard]] int start() const { return start_; }
    [[nodiscard]] int end() const { return end_; }
    [[nodiscard]] int unknown() const { return unknown_; }
    [[nodiscard]] bool is_special(int id) const {
        return id == pad_ || id == start_ || id == end_ || id == unknown_;
    }
    [[nodiscard]] const std::string& language() const { return language_; }  ///< BCP 47
    [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }
    [[nodiscard]] const std::string& origin() const { return origin_; }

    /// Throws Error with both numbers unless the list has `expected` tokens (rows of the network's
    /// output).
    void require_size(std::int64_t expected) const;

    /// The text of a vocabulary.json; `parse` gives an equal vocabulary back.
    [[nodiscard]] std::string to_json() const;

 private:
    std::string origin_;
    std::string language_;
    std::vector<std::string> tokens_;
    std::unordered_map<std::string, int> ids_;
    int pad_ = 0;
    int start_ = 0;
    int end_ = 0;
    int unknown_ = 0;
};

/// Counts the words of training captions and keeps the frequent ones.
class VocabularyBuilder {
 public:
    /// Counts the words of one caption.
    void add(const std::vector<std::string>& words);

    /// The four special tokens (ids 0 to 3), then every word seen at least `minimum_count` times,
    /// the most frequent first, equally frequent ones in byte order: the same captions give the
    /// same list in whatever order they came. Throws Error if no word is left.
    [[nodiscard]] Vocabulary build(const std::string& language, std::int64_t minimum_count) const;

    [[nodiscard]] std::int64_t words_seen() const { return words_seen_; }
    [[nodiscard]] std::size_t distinct_words() const { return counts_.size(); }
    /// How many of the words seen `vocabulary` does not know.
    [[nodiscard]] std::int64_t unknown_to(const Vocabulary& vocabulary) const;

 private:
    std::map<std::string, std::int64_t> counts_;
    std::int64_t words_seen_ = 0;
};

}  // namespace seesay::language
