// Sampled sentences: each next word is drawn from the network's distribution.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "models/language/beam_search.hpp"

namespace seesay::language {

/// Throws Error naming the value and its range if one is out of range.
void check(const Sampling& sampling);

/// Draws one sentence. Words that the options forbid are never drawn; the others are weighed by
/// exp(logit / temperature), reduced to the `top_k` most probable and then to the fewest whose
/// probabilities sum to at least `nucleus`. The sentence is incomplete if its end was not drawn
/// after `maximum_length` words. Equal seeds give equal sentences. Throws Error where words are
/// required.
class SampledSentence final : public SentenceSearch {
 public:
    SampledSentence(const DecodingOptions& options, const Sampling& sampling,
                    const Vocabulary& vocabulary, int attended);

    [[nodiscard]] int rows() const override { return done_ ? 0 : 1; }
    [[nodiscard]] int last_token(int row) const override;
    std::vector<int> advance(std::span<const RowScores> rows) override;
    std::vector<Sentence> results() override;

 private:
    [[nodiscard]] int draw(const float* logits);

    DecodingOptions options_;
    Sampling sampling_;
    const Vocabulary& vocabulary_;
    WordRules rules_;
    std::mt19937_64 random_;
    Sentence sentence_;
    double sum_ = 0.0;
    bool done_ = false;
    std::vector<double> weights_;
    std::vector<int> order_;
};

}  // namespace seesay::language
