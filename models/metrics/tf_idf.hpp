// TF-IDF vectors of n-grams: how CIDEr and CIDEr-D (Vedantam et al. 2015) see a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "models/metrics/ngrams.hpp"

namespace seesay::metrics {

struct WeightedNGram {
    NGram ngram;
    double weight = 0;
};

/// One sentence: for each n − 1 its weighted n-grams ordered by n-gram, and their Euclidean norm.
struct TfIdfVectors {
    std::array<std::vector<WeightedNGram>, kLongestNGram> terms;
    std::array<double, kLongestNGram> norms{};
    double bigrams = 0;  ///< how many bigrams it has: the length that CIDEr-D compares
};

/// How many documents (images) hold each n-gram in any of their captions.
/// The weight of an n-gram is count · (log documents − log max(1, frequency)).
class DocumentFrequencies {
 public:
    /// `documents`: for each image its captions.
    explicit DocumentFrequencies(const std::vector<std::vector<Sentence>>& documents);

    std::size_t documents() const { return documents_; }

    /// Vectors of a sentence to compare with; words seen nowhere before are remembered.
    TfIdfVectors weigh_reference(const Sentence& sentence);

    /// Vectors of a candidate; changes nothing, so threads may share the object.
    TfIdfVectors weigh(const Sentence& sentence) const;

 private:
    TfIdfVectors weigh_words(const std::vector<std::int32_t>& words) const;

    WordNumbers numbers_;
    std::unordered_map<NGram, double, NGramHash> frequencies_;
    std::size_t documents_ = 0;
    double log_documents_ = 0;
};

}  // namespace seesay::metrics
