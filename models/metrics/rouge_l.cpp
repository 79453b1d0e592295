// ROUGE-L: precision and recall of the longest common subsequence.
#include "models/metrics/rouge_l.hpp"

#include <algorithm>

#include "models/metrics/corpus.hpp"

namespace seesay::metrics {
namespace {

int longest_common_subsequence(const Sentence& a, const Sentence& b) {
    std::vector<int> row(b.size() + 1, 0);
    for (const std::string& word : a) {
        int diagonal = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const int above = row[j + 1];
            row[j + 1] = word == b[j] ? diagonal + 1 : std::max(above, row[j]);
            diagonal = above;
        }
    }
    return row.back();
}

const Sentence& with_a_token(const Sentence& sentence) {
    static const Sentence kEmptyToken{""};
    return sentence.empty() ? kEmptyToken : sentence;
}

}  // namespace

double sentence_rouge_l(const Sentence& candidate, const std::vector<Sentence>& references) {
    constexpr double kBetaSquared = 1.2 * 1.2;
    const Sentence& tokens = with_a_token(candidate);
    double precision = 0;
    double recall = 0;
    for (const Sentence& reference : references) {
        const Sentence& reference_tokens = with_a_token(reference);
        const double common = longest_common_subsequence(tokens, reference_tokens);
        precision = std::max(precision, common / static_cast<double>(tokens.size()));
        recall = std::max(recall, common / static_cast<double>(reference_tokens.size()));
    }
    if (precision == 0 || recall == 0) return 0;
    return (1 + kBetaSquared) * precision * recall / (recall + kBetaSquared * precision);
}

RougeLScores rouge_l(const std::vector<Sentence>& candidates,
                     const std::vector<std::vector<Sentence>>& references) {
    check_corpus(candidates.size(), references);
    RougeLScores scores;
    scores.images.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i)
        scores.images.push_back(sentence_rouge_l(candidates[i], references[i]));
    scores.corpus = mean(scores.images);
    return scores;
}

}  // namespace seesay::metrics
