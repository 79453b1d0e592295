// Document frequencies and the vectors weighted by them.
#include "models/metrics/tf_idf.hpp"

#include <algorithm>
#include <cmath>

#include "models/error.hpp"

namespace seesay::metrics {

DocumentFrequencies::DocumentFrequencies(const std::vector<std::vector<Sentence>>& documents)
    : documents_(documents.size()) {
    if (documents.empty()) throw Error("cannot count document frequencies: there is no image");
    log_documents_ = std::log(static_cast<double>(documents_));
    std::vector<NGram> ngrams;
    for (const std::vector<Sentence>& captions : documents) {
        ngrams.clear();
        for (const Sentence& caption : captions) {
            for (const auto& counts : count_ngrams(numbers_.number(caption)))
                for (const NGramCount& entry : counts)
                    ngrams.push_back(entry.ngram);
        }
        std::sort(ngrams.begin(), ngrams.end());
        ngrams.erase(std::unique(ngrams.begin(), ngrams.end()), ngrams.end());
        for (const NGram& ngram : ngrams)
            frequencies_[ngram] += 1;
    }
}

TfIdfVectors DocumentFrequencies::weigh_reference(const Sentence& sentence) {
    return weigh_words(numbers_.number(sentence));
}

TfIdfVectors DocumentFrequencies::weigh(const Sentence& sentence) const {
    return weigh_words(numbers_.look_up(sentence));
}

TfIdfVectors DocumentFrequencies::weigh_words(const std::vector<std::int32_t>& words) const {
    TfIdfVectors vectors;
    const NGramCounts counts = count_ngrams(words);
    for (std::size_t n = 0; n < kLongestNGram; ++n) {
        double squares = 0;
        vectors.terms[n].reserve(counts[n].size());
        for (const NGramCount& entry : counts[n]) {
            const auto found = frequencies_.find(entry.ngram);
            const double frequency = found == frequencies_.end() ? 1.0 : found->second;
            const double weight = entry.count * (log_documents_ - std::log(frequency));
            vectors.terms[n].push_back({entry.ngram, weight});
            squares += weight * weight;
        }
        vectors.norms[n] = std::sqrt(squares);
    }
    vectors.bigrams = words.empty() ? 0 : static_cast<double>(words.size() - 1);
    return vectors;
}

}  // namespace seesay::metrics
