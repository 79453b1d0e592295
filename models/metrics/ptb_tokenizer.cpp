// Cuts a caption into its longest tokens, one behind the other.
#include "models/metrics/ptb_tokenizer.hpp"

#include <algorithm>
#include <array>

#include "models/metrics/ptb_grammar.hpp"
#include "models/metrics/ptb_normalise.hpp"
#include "models/metrics/utf8.hpp"

namespace seesay::metrics {
namespace {

/// The grammar and its compiled form; made at first use, never changed.
struct Treebank {
    ptb::Grammar grammar = ptb::treebank_grammar();
    CompiledRules rules{grammar.rules()};
};

const Treebank& treebank() {
    static const Treebank kTreebank;
    return kTreebank;
}

/// How many of the token's characters are read again, and whether the token shows them too.
struct ReadAgain {
    std::size_t characters = 0;
    bool keep = false;
};

ReadAgain read_again(ptb::Treatment treatment, std::size_t length) {
    switch (treatment) {
        case ptb::Treatment::kSplitLastTwo:
            return {2, false};
        case ptb::Treatment::kSplitLastThree:
            return {3, false};
        case ptb::Treatment::kSentencePeriod:
            return {1, true};
        case ptb::Treatment::kInitialPeriod:
            return {1, length > 2};
        default:
            return {};
    }
}

/// What coco-caption compares with. Brackets are in lower case by then, so they stay.
bool is_dropped(std::string_view token) {
    static constexpr std::array<std::string_view, 17> kPunctuation{
        "''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".",
        "?",  "!", ",",  ":", "-",     "--",    "...",   ";"};
    return std::find(kPunctuation.begin(), kPunctuation.end(), token) != kPunctuation.end();
}

}  // namespace

PtbTokenizer::PtbTokenizer() : automaton_(treebank().rules) {
}

Sentence PtbTokenizer::tokens(std::string_view caption) {
    std::u32string text = decode_utf8(caption);
    std::replace(text.begin(), text.end(), U'\n', U' ');
    text += U'\n';
    Sentence tokens;
    for (std::size_t start = 0; start < text.size();) {
        const auto match = automaton_.longest(text, start);
        if (!match || match->end == start) {
            ++start;  // a character that belongs to no token
            continue;
        }
        const ptb::Treatment treatment = treebank().grammar.treatment(match->rule);
        const std::size_t length = match->end - start;
        const ReadAgain again = read_again(treatment, length);
        if (treatment != ptb::Treatment::kSkip) {
            const auto shown = length - (again.keep ? 0 : again.characters);
            tokens.push_back(encode_utf8(
                ptb::normalise(std::u32string_view(text).substr(start, shown), treatment)));
        }
        start = match->end - again.characters;
    }
    return tokens;
}

Sentence PtbTokenizer::words(std::string_view caption) {
    Sentence result = tokens(caption);
    std::erase_if(result, is_dropped);
    return result;
}

}  // namespace seesay::metrics
