// Beam search for one picture: which words continue which hypotheses. Knows nothing of networks.
#pragma once

#include <span>
#include <vector>

#include "models/language/decoding.hpp"
#include "models/language/word_rules.hpp"

namespace seesay::language {

/// What the network says about the next word of one hypothesis.
struct RowScores {
    float* logits = nullptr;           ///< `[V]`; a search may overwrite them
    float log_normaliser = 0.F;        ///< log p(word) = logits[word] − log_normaliser
    std::span<const float> attention;  ///< `[L]`; empty where the model has none
};

/// Something that takes part in a batch of hypotheses until its sentences are found.
class SentenceSearch {
 public:
    virtual ~SentenceSearch() = default;
    /// Hypotheses that want another step; 0 when the sentences are found.
    [[nodiscard]] virtual int rows() const = 0;
    /// The token that hypothesis `row` feeds next; −1 before the first word.
    [[nodiscard]] virtual int last_token(int row) const = 0;
    /// Takes the scores of all `rows()` hypotheses and gives, for each hypothesis that lives on,
    /// the row it continues.
    virtual std::vector<int> advance(std::span<const RowScores> rows) = 0;
    /// The sentences, the best first; called once, when `rows()` is 0.
    virtual std::vector<Sentence> results() = 0;
};

/// Σ log p by the options' length penalty; `sum` itself for length 0.
double normalised_score(double sum, std::size_t length, const DecodingOptions& options);

/// The search that decode() describes.
class BeamSearch final : public SentenceSearch {
 public:
    BeamSearch(const DecodingOptions& options, const Vocabulary& vocabulary, int attended);

    [[nodiscard]] int rows() const override;
    [[nodiscard]] int last_token(int row) const override;
    std::vector<int> advance(std::span<const RowScores> rows) override;
    /// The same; `costs` `[V]` (or empty) are taken off the words' scores, for ranking alone.
    std::vector<int> advance(std::span<const RowScores> rows, std::span<const float> costs);
    std::vector<Sentence> results() override;

 private:
    struct Hypothesis {
        Sentence sentence;
        double sum = 0.0;   ///< Σ (log p − cost)
        unsigned said = 0;  ///< which required words
    };
    struct Continuation {
        double sum = 0.0;
        int token = 0;
        int row = 0;
        float log_probability = 0.F;
    };
    using Ranking = std::vector<Continuation>;  ///< sorted, at most 2·beam

    void collect(const RowScores& scores, int row, std::span<const float> costs,
                 std::vector<Ranking>& rankings) const;
    [[nodiscard]] Hypothesis extended(const Continuation& by, std::span<const RowScores> rows,
                                      unsigned said) const;
    void finish(const Continuation& by);
    [[nodiscard]] bool decided() const;

    DecodingOptions options_;
    const Vocabulary& vocabulary_;
    WordRules rules_;
    bool done_ = false;
    int finished_ = 0;
    std::vector<Hypothesis> living_;
    Sentence best_finished_;
    double best_finished_score_ = 0.0;  ///< with costs
};

/// Diverse beam search: groups of hypotheses that advance one after the other within a step; each
/// finds a sentence. Scores of the sentences are without the costs of diversity.
class DiverseBeamSearch final : public SentenceSearch {
 public:
    DiverseBeamSearch(const DecodingOptions& options, const Vocabulary& vocabulary, int attended);

    [[nodiscard]] int rows() const override;
    [[nodiscard]] int last_token(int row) const override;
    std::vector<int> advance(std::span<const RowScores> rows) override;
    std::vector<Sentence> results() override;

 private:
    std::vector<BeamSearch> groups_;
    double diversity_;
    int vocabulary_size_;
};

}  // namespace seesay::language
