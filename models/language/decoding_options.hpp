// DecodingOptions: how sentences are searched or drawn. Defaults come from the package's
// model.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seesay::language {

/// What the sum of log-probabilities of a finished sentence of L tokens (the end included) is
/// divided by.
enum class LengthPenalty {
    Power,  ///< L^exponent
    Wu,     ///< ((5 + L) / 6)^exponent (Wu et al. 2016, equation 14)
};

struct DecodingOptions {
    int beam = 3;                  ///< 1 is greedy; 1…100
    double length_exponent = 0.7;  ///< finished hypotheses rank by Σ log p / length penalty
    LengthPenalty length_penalty = LengthPenalty::Power;
    int maximum_length = 20;                   ///< tokens without the end
    int minimum_length = 1;                    ///< no end token before
    bool suppress_unknown = true;              ///< never emit the unknown word
    bool forbid_repeats = true;                ///< no word directly after itself
    int block_ngrams = 3;                      ///< no n-gram of this length twice; 0 is off
    std::vector<std::string> bad_endings;      ///< words after which no sentence ends
    std::vector<std::string> forbidden_words;  ///< never said
    /// All of them are said, at most 4: beam search keeps a beam for every set of them that was
    /// said already (Anderson et al. 2017). Sampling cannot promise it and refuses.
    std::vector<std::string> required_words;
    /// Diverse beam search (Vijayakumar et al. 2018): the beam is divided into so many groups, and
    /// a word costs `diversity` for each hypothesis of the groups before that says it at that step.
    int groups = 1;
    double diversity = 0.5;
};

/// How a sentence is drawn instead of searched.
struct Sampling {
    double temperature = 1.0;  ///< 0.01…100: below 1 the probable words gain
    int top_k = 0;             ///< draw from so many most probable words; 0: from all
    double nucleus = 1.0;      ///< draw from the fewest words that hold this much probability
    std::uint64_t seed = 0;
};

}  // namespace seesay::language
