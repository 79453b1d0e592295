// Which words the decoding options do not allow next; shared by all ways of decoding.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "models/language/decoding_options.hpp"
#include "models/language/vocabulary.hpp"

namespace seesay::language {

/// The logit of a word that must not be chosen.
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

/// The options' rules as numbers of one vocabulary.
class WordRules {
 public:
    /// Words that `options` forbid and that are no words of the vocabulary are none to say anyway.
    /// Throws Error for a required word that is not in it, naming the word.
    WordRules(const DecodingOptions& options, const Vocabulary& vocabulary);

    /// Sets `logits` (`[V]`) of the words that are not allowed after `tokens` to kForbidden: pad
    /// and start always; then the unknown word, forbidden words, repetitions, and the end before
    /// the minimum length and after a bad ending. Where nothing at all would be left, the end stays
    /// allowed.
    void apply(std::span<const int> tokens, float* logits) const;

    /// How many words the sentence must hold.
    [[nodiscard]] int required() const { return static_cast<int>(required_.size()); }
    /// `mask` with the bit of `token`, if that is a required word. Bit i: the i-th was said.
    [[nodiscard]] unsigned said(unsigned mask, int token) const;

 private:
    const Vocabulary& vocabulary_;
    int block_ngrams_;
    int minimum_length_;
    bool suppress_unknown_;
    bool forbid_repeats_;
    std::vector<int> forbidden_;
    std::vector<int> bad_endings_;  ///< sorted
    std::vector<int> required_;
};

}  // namespace seesay::language
