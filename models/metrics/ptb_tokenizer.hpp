// Penn Treebank tokens of a caption, as coco-caption makes them before it counts anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/metrics/ngrams.hpp"
#include "models/metrics/token_automaton.hpp"

namespace seesay::metrics {

/// Gives the tokens that Stanford CoreNLP 3.4.1 gives with `-preserveLines -lowerCase`: lower case,
/// contractions split, quotes and brackets named, abbreviations with their period. Line ends inside
/// a caption count as blanks. Malformed UTF-8 and characters outside the basic plane yield nothing.
/// Learns as it goes, so an object belongs to one thread at a time; making one takes milliseconds.
class PtbTokenizer {
 public:
    PtbTokenizer();

    /// All tokens of a text that is one caption.
    Sentence tokens(std::string_view caption);

    /// The tokens without the punctuation that coco-caption drops.
    Sentence words(std::string_view caption);

    /// All tokens of each caption, when they are the lines of one text, as coco-caption hands them
    /// to the tokeniser: the next line tells whether the period of "vitamin C." ends a sentence.
    std::vector<Sentence> tokens_of_lines(const std::vector<std::string>& captions);

    /// The same without the punctuation that coco-caption drops.
    std::vector<Sentence> words_of_lines(const std::vector<std::string>& captions);

 private:
    /// Tokens of the text up to `end`.
    Sentence cut(std::u32string_view text, std::size_t end);

    TokenAutomaton automaton_;
};

}  // namespace seesay::metrics
