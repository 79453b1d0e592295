// BLEU-1…4: clipped n-gram precision with a brevity penalty.
#include "models/metrics/bleu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "models/metrics/corpus.hpp"

namespace seesay::metrics {
namespace {

/// What one image adds to the corpus.
struct Statistics {
    double candidate_length = 0;
    double reference_length = 0;
    std::array<double, kLongestNGram> guessed{};
    std::array<double, kLongestNGram> correct{};

    void operator+=(const Statistics& other) {
        candidate_length += other.candidate_length;
        reference_length += other.reference_length;
        for (std::size_t n = 0; n < kLongestNGram; ++n) {
            guessed[n] += other.guessed[n];
            correct[n] += other.correct[n];
        }
    }
};

/// Σ over the candidate's n-grams of min(count, largest count in one reference).
double clipped_matches(const std::vector<NGramCount>& candidate,
                       const std::vector<NGramCounts>& references, std::size_t order) {
    double matches = 0;
    for (const NGramCount& entry : candidate) {
        int most = 0;
        for (const NGramCounts& reference : references) {
            const auto& counts = reference[order];
            const auto found = std::lower_bound(
                counts.begin(), counts.end(), entry,
                [](const NGramCount& a, const NGramCount& b) { return a.ngram < b.ngram; });
            if (found != counts.end() && found->ngram == entry.ngram)
                most = std::max(most, found->count);
        }
        matches += std::min(most, entry.count);
    }
    return matches;
}

Statistics collect(const Sentence& candidate, const std::vector<Sentence>& references) {
    WordNumbers numbers;
    Statistics statistics;
    const auto words = numbers.number(candidate);
    const auto length = static_cast<long>(words.size());
    const NGramCounts candidate_counts = count_ngrams(words);

    std::vector<NGramCounts> reference_counts;
    long closest = -1;
    for (const Sentence& reference : references) {
        reference_counts.push_back(count_ngrams(numbers.number(reference)));
        const auto reference_length = static_cast<long>(reference.size());
        const long distance = std::labs(reference_length - length);
        const long best = std::labs(closest - length);
        if (closest < 0 || distance < best || (distance == best && reference_length < closest))
            closest = reference_length;
    }
    statistics.candidate_length = static_cast<double>(length);
    statistics.reference_length = static_cast<double>(closest);
    for (std::size_t n = 0; n < kLongestNGram; ++n) {
        statistics.guessed[n] = static_cast<double>(std::max(0L, length - static_cast<long>(n)));
        statistics.correct[n] = clipped_matches(candidate_counts[n], reference_counts, n);
    }
    return statistics;
}

Bleu score(const Statistics& statistics) {
    // coco-caption's constants: an empty candidate scores 0 instead of dividing by 0.
    constexpr double kTiny = 1e-15;
    constexpr double kSmall = 1e-9;
    const double ratio =
        (statistics.candidate_length + kTiny) / (statistics.reference_length + kSmall);
    const double brevity = ratio < 1 ? std::exp(1 - 1 / ratio) : 1.0;
    Bleu result{};
    double product = 1;
    for (std::size_t n = 0; n < kLongestNGram; ++n) {
        product *= (statistics.correct[n] + kTiny) / (statistics.guessed[n] + kSmall);
        result[n] = std::pow(product, 1.0 / static_cast<double>(n + 1)) * brevity;
    }
    return result;
}

}  // namespace

BleuScores bleu(const std::vector<Sentence>& candidates,
                const std::vector<std::vector<Sentence>>& references) {
    check_corpus(candidates.size(), references);
    BleuScores scores;
    scores.images.reserve(candidates.size());
    Statistics total;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Statistics statistics = collect(candidates[i], references[i]);
        scores.images.push_back(score(statistics));
        total += statistics;
    }
    scores.corpus = score(total);
    return scores;
}

}  // namespace seesay::metrics
