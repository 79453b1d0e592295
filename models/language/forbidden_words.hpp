// Which words the decoding options do not allow next; shared by all ways of decoding.
#pragma once

#include <limits>
#include <span>

#include "models/language/decoding_options.hpp"
#include "models/language/vocabulary.hpp"

namespace seesay::language {

/// The logit of a word that must not be chosen.
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

/// Sets `logits` (`[V]`) of the words that `options` do not allow after `tokens` to kForbidden: pad
/// and start always; then the unknown word, repetitions, and the end before the minimum length.
/// Where nothing at all would be left, the end stays allowed.
void forbid_words(const DecodingOptions& options, const Vocabulary& vocabulary,
                  std::span<const int> tokens, float* logits);

}  // namespace seesay::language
