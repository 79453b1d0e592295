// The token classes of the Penn Treebank tokenisation, in the order in which they take precedence.
#pragma once

#include <vector>

#include "models/metrics/token_automaton.hpp"

namespace seesay::metrics::ptb {

/// What becomes of the matched text.
enum class Treatment {
    kKeep,             ///< as it is
    kSkip,             ///< no token: white space and what is not known
    kWord,             ///< soft hyphens removed
    kSplitLastTwo,     ///< gon|na: the last two characters are read again
    kSplitLastThree,   ///< can|not
    kQuoteBefore,      ///< quotation marks that open: ` ``
    kQuoteAfter,       ///< quotation marks that close: ' ''
    kDash,             ///< --
    kHyphens,          ///< three or four become --
    kEllipsis,         ///< ...
    kAmpersand,        ///< &amp; becomes &
    kJoinSpaces,       ///< spaces inside become no-break spaces
    kJoinParentheses,  ///< spaces as well, and ( ) become -LRB- -RRB-
    kParentheses,      ///< ( ) inside become -LRB- -RRB-
    kCurrency,         ///< # for pounds, $ for euros, cents
    kFraction,         ///< ½ becomes 1/2
    kSentencePeriod,   ///< an abbreviation that ends a sentence: its period is a token again
    kInitialPeriod,    ///< the same, but a single letter gives its period away
    kBracket,          ///< named: -LRB- -RSB- …
};

struct TokenClass {
    TokenRule rule;
    Treatment treatment = Treatment::kKeep;
};

/// Made once; immutable.
const std::vector<TokenClass>& token_classes();

}  // namespace seesay::metrics::ptb
