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

std::u32string as_line(std::string_view caption) {
    std::u32string line = decode_utf8(caption);
    std::replace(line.begin(), line.end(), U'\n', U' ');
    return line;
}

/// Appends what follows line `index`, as far as a token at its end could depend on it: only a
/// period looks further than the line end.
void append_following(std::u32string& text, const std::vector<std::string>& lines,
                      std::size_t index) {
    constexpr std::size_t kFarEnough = 256;
    const std::size_t end = text.size();
    const auto last = text.find_last_not_of(U" \t\u00A0");
    const bool period = last != std::u32string::npos && text[last] == U'.';
    while (++index < lines.size()) {
        text += U'\n';
        if (!period || text.size() > end + kFarEnough) return;
        text += as_line(lines[index]);
    }
}

}  // namespace

PtbTokenizer::PtbTokenizer() : automaton_(treebank().rules) {
}

Sentence PtbTokenizer::cut(std::u32string_view text, std::size_t end) {
    Sentence tokens;
    for (std::size_t start = 0; start < end;) {
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
            tokens.push_back(encode_utf8(ptb::normalise(text.substr(start, shown), treatment)));
        }
        start = match->end - again.characters;
    }
    return tokens;
}

Sentence PtbTokenizer::tokens(std::string_view caption) {
    const std::u32string text = as_line(caption);
    return cut(text, text.size());
}

Sentence PtbTokenizer::words(std::string_view caption) {
    Sentence result = tokens(caption);
    std::erase_if(result, is_dropped);
    return result;
}

std::vector<Sentence> PtbTokenizer::tokens_of_lines(const std::vector<std::string>& captions) {
    std::vector<Sentence> result;
    result.reserve(captions.size());
    for (std::size_t i = 0; i < captions.size(); ++i) {
        std::u32string text = as_line(captions[i]);
        const std::size_t end = text.size();
        append_following(text, captions, i);
        result.push_back(cut(text, end));
    }
    return result;
}

std::vector<Sentence> PtbTokenizer::words_of_lines(const std::vector<std::string>& captions) {
    std::vector<Sentence> result = tokens_of_lines(captions);
    for (Sentence& sentence : result)
        std::erase_if(sentence, is_dropped);
    return result;
}

}  // namespace seesay::metrics
