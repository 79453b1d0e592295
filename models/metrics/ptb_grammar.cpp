// Puts the token classes in order.
#include "models/metrics/ptb_grammar.hpp"

namespace seesay::metrics::ptb {

void Grammar::token(const Pattern& token, Treatment treatment) {
    rules_.push_back({token, std::nullopt});
    treatments_.push_back(treatment);
}

void Grammar::token_before(const Pattern& token, const Pattern& context, Treatment treatment) {
    rules_.push_back({token, context});
    treatments_.push_back(treatment);
}

Grammar treebank_grammar() {
    Grammar grammar;
    add_markup(grammar);
    add_words(grammar);
    add_addresses(grammar);
    add_composed_words(grammar);
    add_numbers(grammar);
    add_marks(grammar);
    return grammar;
}

}  // namespace seesay::metrics::ptb
