// The token classes of the Penn Treebank tokenisation, in the order in which they take precedence.
#pragma once

#include <vector>

#include "models/metrics/token_automaton.hpp"

namespace seesay::metrics::ptb {

/// What becomes of the matched text.
enum class Treatment {
    kKeep,             ///< as it is
    kSkip,             ///< no token: white space
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

/// Token classes under construction. Of those that reach equally far the one added first wins.
class Grammar {
 public:
    void token(const Pattern& token, Treatment treatment = Treatment::kKeep);

    /// A token only where `context` follows.
    void token_before(const Pattern& token, const Pattern& context,
                      Treatment treatment = Treatment::kKeep);

    const std::vector<TokenRule>& rules() const { return rules_; }
    Treatment treatment(std::size_t rule) const { return treatments_[rule]; }

 private:
    std::vector<TokenRule> rules_;
    std::vector<Treatment> treatments_;
};

/// Tags and character entities.
void add_markup(Grammar& grammar);

/// Plain words and contractions.
void add_words(Grammar& grammar);

/// Addresses of pages and people, and faces.
void add_addresses(Grammar& grammar);

/// Abbreviations, file names, compounds with hyphens and slashes.
void add_composed_words(Grammar& grammar);

/// Numbers, dates, times, fractions, money, telephone numbers.
void add_numbers(Grammar& grammar);

/// Quotation marks, brackets, punctuation, symbols, white space.
void add_marks(Grammar& grammar);

/// All of it.
Grammar treebank_grammar();

}  // namespace seesay::metrics::ptb
