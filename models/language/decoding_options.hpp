// DecodingOptions: how sentences are searched or drawn. Defaults come from the package's
// model.json.
#pragma once

#include <cstdint>

namespace seesay::language {

struct DecodingOptions {
    int beam = 3;  ///< 1 is greedy; 1…100
    double length_exponent =
        0.7;  ///< finished hypotheses rank by Σ log p / length^exponent (end included)
    int maximum_length = 20;       ///< tokens without the end
    int minimum_length = 1;        ///< no end token before
    bool suppress_unknown = true;  ///< never emit the unknown word
    bool forbid_repeats = true;    ///< no word directly after itself
    int block_ngrams = 3;          ///< no n-gram of this length twice; 0 is off
};

/// How a sentence is drawn instead of searched.
struct Sampling {
    double temperature = 1.0;  ///< 0.01…100: below 1 the probable words gain
    int top_k = 0;             ///< draw from so many most probable words; 0: from all
    double nucleus = 1.0;      ///< draw from the fewest words that hold this much probability
    std::uint64_t seed = 0;
};

}  // namespace seesay::language
