// Penn Treebank tokens of a caption, as coco-caption makes them before it counts anything.
#pragma once

#include <string>
#include <string_view>

#include "models/metrics/ngrams.hpp"
#include "models/metrics/token_automaton.hpp"

namespace seesay::metrics {

/// Gives the tokens that Stanford CoreNLP 3.4.1 gives with `-preserveLines -lowerCase`: lower case,
/// contractions split, quotes and brackets named, abbreviations with their period. A caption is
/// read by itself, as if a line end followed; line ends inside count as blanks. Malformed UTF-8 and
/// characters outside the basic plane yield nothing.
/// Learns as it goes, so an object belongs to one thread at a time; making one takes milliseconds.
class PtbTokenizer {
 public:
    PtbTokenizer();

    /// All tokens.
    Sentence tokens(std::string_view caption);

    /// The tokens without the punctuation that coco-caption drops.
    Sentence words(std::string_view caption);

 private:
    TokenAutomaton automaton_;
};

}  // namespace seesay::metrics
