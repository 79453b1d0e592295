// Penn Treebank tokenisation.
#include "models/metrics/ptb_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace seesay::metrics {

Sentence ptb_tokens(std::string_view caption) {
    Sentence tokens;
    std::string word;
    const auto flush = [&] {
        if (word.ends_with("'s")) {
            tokens.push_back(word.substr(0, word.size() - 2));
            word = "'s";
        }
        if (!word.empty()) tokens.push_back(word);
        word.clear();
    };
    for (const char c : caption) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '\'') {
            word += static_cast<char>(std::tolower(byte));
        } else {
            flush();
            if (byte > ' ') tokens.emplace_back(1, c);
        }
    }
    flush();
    return tokens;
}

Sentence tokenize_caption(std::string_view caption) {
    static constexpr std::array<std::string_view, 17> kPunctuation{
        "''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".",
        "?",  "!", ",",  ":", "-",     "--",    "...",   ";"};
    Sentence tokens = ptb_tokens(caption);
    std::erase_if(tokens, [](const std::string& token) {
        return std::find(kPunctuation.begin(), kPunctuation.end(), token) != kPunctuation.end();
    });
    return tokens;
}

}  // namespace seesay::metrics
