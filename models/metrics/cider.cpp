// The paper's CIDEr: cosines of TF-IDF vectors over stems.
#include "models/metrics/cider.hpp"

#include <string>
#include <unordered_map>

#include "models/metrics/corpus.hpp"
#include "models/metrics/stemmer.hpp"

namespace seesay::metrics {
namespace {

/// Stems each distinct word once.
class StemCache {
 public:
    Sentence stem(const Sentence& words) {
        Sentence stems;
        stems.reserve(words.size());
        for (const std::string& word : words) {
            auto [place, added] = stems_.try_emplace(word);
            if (added) place->second = english_stem(word);
            stems.push_back(place->second);
        }
        return stems;
    }

 private:
    std::unordered_map<std::string, std::string> stems_;
};

double cosine(const TfIdfVectors& a, const TfIdfVectors& b, std::size_t order) {
    const double norms = a.norms[order] * b.norms[order];
    if (norms == 0) return 0;
    double product = 0;
    auto other = b.terms[order].begin();
    for (const WeightedNGram& term : a.terms[order]) {
        while (other != b.terms[order].end() && other->ngram < term.ngram)
            ++other;
        if (other == b.terms[order].end()) break;
        if (other->ngram == term.ngram) product += term.weight * other->weight;
    }
    return product / norms;
}

}  // namespace

CiderScores cider(const std::vector<Sentence>& candidates,
                  const std::vector<std::vector<Sentence>>& references) {
    check_corpus(candidates.size(), references);
    StemCache cache;
    std::vector<std::vector<Sentence>> stemmed(references.size());
    for (std::size_t i = 0; i < references.size(); ++i)
        for (const Sentence& reference : references[i])
            stemmed[i].push_back(cache.stem(reference));

    DocumentFrequencies frequencies(stemmed);
    CiderScores scores;
    scores.images.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const TfIdfVectors candidate = frequencies.weigh(cache.stem(candidates[i]));
        double sum = 0;
        for (const Sentence& reference : stemmed[i]) {
            const TfIdfVectors vectors = frequencies.weigh_reference(reference);
            for (std::size_t n = 0; n < kLongestNGram; ++n)
                sum += cosine(candidate, vectors, n);
        }
        scores.images.push_back(10 * sum / kLongestNGram / static_cast<double>(stemmed[i].size()));
    }
    scores.corpus = mean(scores.images);
    return scores;
}

}  // namespace seesay::metrics
