// The characters that Penn Treebank tokens are made of.
#pragma once

#include "models/metrics/character_set.hpp"

namespace seesay::metrics::ptb {

/// Unicode letters of the basic plane (the tokeniser knows no others).
const CharacterSet& unicode_letters();

/// What a plain word may hold: letters, marks that sit on or between letters, the soft hyphen.
const CharacterSet& word_letters();

/// Unicode decimal digits of the basic plane.
const CharacterSet& digits();

const CharacterSet& capitals();

const CharacterSet& ascii_letters();
const CharacterSet& ascii_digits();

/// Spaces that may lie between words of a line.
const CharacterSet& spaces();

/// Spaces and line ends.
const CharacterSet& white_space();

/// Signs that are tokens by themselves: mathematics, arrows, dingbats, full-width punctuation …
const CharacterSet& symbols();

}  // namespace seesay::metrics::ptb
