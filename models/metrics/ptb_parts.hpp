// Pieces that several token classes are made of.
#pragma once

#include "models/metrics/pattern.hpp"

namespace seesay::metrics::ptb {

/// ' in its spellings: straight, curly, Windows, &apos;
Pattern apostrophe();

/// Also the marks that people use for it inside a word.
Pattern loose_apostrophe();

/// What a word is made of; &eacute; and its like count as one letter.
Pattern word_letter();

/// 's 'm 'd 're 've 'll
Pattern clitic();

/// <b>, </b>, <br />, <a href="x y">, <!-- x -->
Pattern sgml_tag();

/// & or &amp;
Pattern ampersand();

/// An ASCII letter or digit.
Pattern alphanumeric();

}  // namespace seesay::metrics::ptb
