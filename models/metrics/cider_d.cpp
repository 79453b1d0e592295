// CIDEr-D: clipped TF-IDF cosine with a Gaussian penalty on the difference in length.
#include "models/metrics/cider_d.hpp"

#include <algorithm>
#include <cmath>

#include "models/metrics/corpus.hpp"

namespace seesay::metrics {
namespace {

/// Σ min(h, r) · r over the n-grams that both have.
double clipped_product(const std::vector<WeightedNGram>& candidate,
                       const std::vector<WeightedNGram>& reference) {
    double sum = 0;
    auto r = reference.begin();
    for (const WeightedNGram& h : candidate) {
        while (r != reference.end() && r->ngram < h.ngram)
            ++r;
        if (r == reference.end()) break;
        if (r->ngram == h.ngram) sum += std::min(h.weight, r->weight) * r->weight;
    }
    return sum;
}

double similarity(const TfIdfVectors& candidate, const TfIdfVectors& reference) {
    constexpr double kSigma = 6.0;
    double sum = 0;
    for (std::size_t n = 0; n < kLongestNGram; ++n) {
        const double norms = candidate.norms[n] * reference.norms[n];
        if (norms == 0) continue;
        sum += clipped_product(candidate.terms[n], reference.terms[n]) / norms;
    }
    const double difference = candidate.bigrams - reference.bigrams;
    return sum / kLongestNGram * std::exp(-difference * difference / (2 * kSigma * kSigma));
}

}  // namespace

CiderD::References CiderD::prepare(const std::vector<Sentence>& references) {
    References prepared;
    prepared.reserve(references.size());
    for (const Sentence& reference : references)
        prepared.push_back(frequencies_.weigh_reference(reference));
    return prepared;
}

double CiderD::score(const Sentence& candidate, const References& references) const {
    if (references.empty()) return 0;
    const TfIdfVectors vectors = frequencies_.weigh(candidate);
    double sum = 0;
    for (const TfIdfVectors& reference : references)
        sum += similarity(vectors, reference);
    return 10 * sum / static_cast<double>(references.size());
}

CiderScores cider_d(const std::vector<Sentence>& candidates,
                    const std::vector<std::vector<Sentence>>& references) {
    check_corpus(candidates.size(), references);
    CiderD metric(references);
    CiderScores scores;
    scores.images.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i)
        scores.images.push_back(metric.score(candidates[i], metric.prepare(references[i])));
    scores.corpus = mean(scores.images);
    return scores;
}

}  // namespace seesay::metrics
