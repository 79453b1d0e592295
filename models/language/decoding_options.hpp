// DecodingOptions: how sentences are searched. Defaults come from the package's model.json.
#pragma once

#include <string>
#include <vector>

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

}  // namespace seesay::language
