// Penn Treebank tokens of a caption, as coco-caption makes them before it counts anything.
#pragma once

#include <string_view>

#include "models/metrics/ngrams.hpp"

namespace seesay::metrics {

/// The tokens of one caption (UTF-8; anything malformed is dropped), lower case, as Stanford
/// CoreNLP 3.4.1 with `-preserveLines -lowerCase` gives them: contractions split, quotes and
/// brackets named, abbreviations with their period.
Sentence ptb_tokens(std::string_view caption);

/// The same without the punctuation that coco-caption drops.
Sentence tokenize_caption(std::string_view caption);

}  // namespace seesay::metrics
