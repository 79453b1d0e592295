// The rules on the next word, in the order in which DecodingOptions names them.
#include "models/language/forbidden_words.hpp"

#include <algorithm>

namespace seesay::language {

void forbid_words(const DecodingOptions& options, const Vocabulary& vocabulary,
                  std::span<const int> tokens, float* logits) {
    const float end = logits[vocabulary.end()];
    logits[vocabulary.pad()] = kForbidden;
    logits[vocabulary.start()] = kForbidden;
    if (options.suppress_unknown) {
        logits[vocabulary.unknown()] = kForbidden;
    }
    if (options.forbid_repeats && !tokens.empty()) {
        logits[tokens.back()] = kForbidden;
    }
    const auto size = static_cast<std::ptrdiff_t>(tokens.size());
    const std::ptrdiff_t context = options.block_ngrams - 1;
    if (context >= 0 && size > context) {
        const auto tail = tokens.end() - context;
        for (auto start = tokens.begin(); start + context < tokens.end(); ++start) {
            if (std::equal(tail, tokens.end(), start)) {
                logits[*(start + context)] = kForbidden;
            }
        }
    }
    if (size < options.minimum_length) {
        logits[vocabulary.end()] = kForbidden;
        if (std::all_of(logits, logits + vocabulary.size(),
                        [](float logit) { return logit == kForbidden; })) {
            logits[vocabulary.end()] = end;  // no word is left: better an early end than none
        }
    }
}

}  // namespace seesay::language
