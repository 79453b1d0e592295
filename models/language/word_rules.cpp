// The rules on the next word, in the order in which DecodingOptions names them.
#include "models/language/word_rules.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace seesay::language {
namespace {

std::vector<int> known_ids(const std::vector<std::string>& words, const Vocabulary& vocabulary) {
    std::vector<int> ids;
    for (const std::string& word : words) {
        if (const auto id = vocabulary.find(word); id && !vocabulary.is_special(*id)) {
            ids.push_back(*id);
        }
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

}  // namespace

WordRules::WordRules(const DecodingOptions& options, const Vocabulary& vocabulary)
    : vocabulary_(vocabulary),
      block_ngrams_(options.block_ngrams),
      minimum_length_(options.minimum_length),
      suppress_unknown_(options.suppress_unknown),
      forbid_repeats_(options.forbid_repeats),
      forbidden_(known_ids(options.forbidden_words, vocabulary)),
      bad_endings_(known_ids(options.bad_endings, vocabulary)) {
    for (const std::string& word : options.required_words) {
        const auto id = vocabulary.find(word);
        if (!id || vocabulary.is_special(*id)) {
            throw Error("decoding: required word \"" + word + "\" is not in the vocabulary");
        }
        if (std::find(required_.begin(), required_.end(), *id) == required_.end()) {
            required_.push_back(*id);
        }
    }
}

unsigned WordRules::said(unsigned mask, int token) const {
    for (std::size_t i = 0; i < required_.size(); ++i) {
        if (required_[i] == token) {
            mask |= 1U << i;
        }
    }
    return mask;
}

void WordRules::apply(std::span<const int> tokens, float* logits) const {
    const int end_token = vocabulary_.end();
    const float end = logits[end_token];
    logits[vocabulary_.pad()] = kForbidden;
    logits[vocabulary_.start()] = kForbidden;
    if (suppress_unknown_) {
        logits[vocabulary_.unknown()] = kForbidden;
    }
    for (const int word : forbidden_) {
        logits[word] = kForbidden;
    }
    if (forbid_repeats_ && !tokens.empty()) {
        logits[tokens.back()] = kForbidden;
    }
    const auto size = static_cast<std::ptrdiff_t>(tokens.size());
    const std::ptrdiff_t context = block_ngrams_ - 1;
    if (context >= 0 && size > context) {
        const auto tail = tokens.end() - context;
        for (auto start = tokens.begin(); start + context < tokens.end(); ++start) {
            if (std::equal(tail, tokens.end(), start)) {
                logits[*(start + context)] = kForbidden;
            }
        }
    }
    const bool bad_ending =
        !tokens.empty() &&
        std::binary_search(bad_endings_.begin(), bad_endings_.end(), tokens.back());
    if (size < minimum_length_ || bad_ending) {
        logits[end_token] = kForbidden;
        if (std::all_of(logits, logits + vocabulary_.size(),
                        [](float logit) { return logit == kForbidden; })) {
            logits[end_token] = end;  // no word is left: better an early end than none
        }
    }
}

}  // namespace seesay::language
