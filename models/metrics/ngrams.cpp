// Word numbers, n-gram counts and the white space that separates words.
#include "models/metrics/ngrams.hpp"

#include <algorithm>

namespace seesay::metrics {
namespace {

/// Length in bytes of the white space character at the front of `text` (what Python's str.split
/// takes for white space), 0 where there is none.
std::size_t white_space_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first == ' ' || (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x1F))
        return 1;
    if (first == 0xC2 && (byte(1) == 0x85 || byte(1) == 0xA0)) return 2;
    if (first == 0xE1 && byte(1) == 0x9A && byte(2) == 0x80) return 3;
    if (first == 0xE2 && byte(1) == 0x80 &&
        ((byte(2) >= 0x80 && byte(2) <= 0x8A) || byte(2) == 0xA8 || byte(2) == 0xA9 ||
         byte(2) == 0xAF))
        return 3;
    if (first == 0xE2 && byte(1) == 0x81 && byte(2) == 0x9F) return 3;
    if (first == 0xE3 && byte(1) == 0x80 && byte(2) == 0x80) return 3;
    return 0;
}

}  // namespace

std::size_t NGramHash::operator()(const NGram& ngram) const noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const std::int32_t word : ngram) {
        hash ^= static_cast<std::uint32_t>(word);
        hash *= 0xFF51AFD7ED558CCDULL;
        hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
}

std::vector<std::int32_t> WordNumbers::number(const Sentence& words) {
    std::vector<std::int32_t> result;
    result.reserve(words.size());
    for (const std::string& word : words)
        result.push_back(
            numbers_.try_emplace(word, static_cast<std::int32_t>(numbers_.size())).first->second);
    return result;
}

std::vector<std::int32_t> WordNumbers::look_up(const Sentence& words) const {
    std::vector<std::int32_t> result;
    result.reserve(words.size());
    std::unordered_map<std::string_view, std::int32_t> unseen;
    for (const std::string& word : words) {
        if (const auto known = numbers_.find(word); known != numbers_.end()) {
            result.push_back(known->second);
        } else {
            const auto next = kNoWord - 1 - static_cast<std::int32_t>(unseen.size());
            result.push_back(unseen.try_emplace(word, next).first->second);
        }
    }
    return result;
}

NGramCounts count_ngrams(const std::vector<std::int32_t>& words) {
    NGramCounts result;
    std::vector<NGram> ngrams;
    for (std::size_t n = 1; n <= kLongestNGram && n <= words.size(); ++n) {
        ngrams.clear();
        for (std::size_t start = 0; start + n <= words.size(); ++start) {
            NGram ngram;
            ngram.fill(kNoWord);
            std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(start), n, ngram.begin());
            ngrams.push_back(ngram);
        }
        std::sort(ngrams.begin(), ngrams.end());
        auto& counts = result[n - 1];
        for (const NGram& ngram : ngrams) {
            if (counts.empty() || counts.back().ngram != ngram) counts.push_back({ngram, 0});
            ++counts.back().count;
        }
    }
    return result;
}

Sentence split_words(const Sentence& tokens) {
    Sentence words;
    words.reserve(tokens.size());
    for (const std::string& token : tokens) {
        std::size_t start = 0;
        for (std::size_t i = 0; i < token.size();) {
            const std::size_t gap = white_space_length(std::string_view(token).substr(i));
            if (gap == 0) {
                ++i;
                continue;
            }
            if (i > start) words.push_back(token.substr(start, i - start));
            i += gap;
            start = i;
        }
        if (start < token.size()) words.push_back(token.substr(start));
    }
    return words;
}

}  // namespace seesay::metrics
