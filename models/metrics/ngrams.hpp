// N-grams of tokenised sentences, n = 1…4: what BLEU, CIDEr and CIDEr-D count.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seesay::metrics {

/// The tokens of one caption, in order.
using Sentence = std::vector<std::string>;

constexpr int kLongestNGram = 4;

/// One n-gram as word numbers; the places behind the n-th hold `kNoWord`.
using NGram = std::array<std::int32_t, kLongestNGram>;
constexpr std::int32_t kNoWord = -1;

struct NGramHash {
    std::size_t operator()(const NGram& ngram) const noexcept;
};

struct NGramCount {
    NGram ngram;
    int count = 0;
};

/// The n-grams of one sentence with their counts, for each n − 1, ordered by n-gram.
using NGramCounts = std::array<std::vector<NGramCount>, kLongestNGram>;

/// Numbers words from 0 in the order of their first appearance.
class WordNumbers {
 public:
    /// The numbers of a sentence's words; new words are added.
    std::vector<std::int32_t> number(const Sentence& words);

    /// The same without adding: a word never seen gets a negative number that holds within this
    /// sentence.
    std::vector<std::int32_t> look_up(const Sentence& words) const;

 private:
    std::unordered_map<std::string, std::int32_t> numbers_;
};

NGramCounts count_ngrams(const std::vector<std::int32_t>& words);

/// Splits tokens at the white space inside them (a PTB fraction "1 1/2" holds a no-break space), as
/// coco-caption's BLEU and CIDEr do and its ROUGE-L does not. Empty tokens vanish.
Sentence split_words(const Sentence& tokens);

}  // namespace seesay::metrics
