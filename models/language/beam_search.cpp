// Beam search: candidates and finished hypotheses.
#include "models/language/beam_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/language/forbidden_words.hpp"

namespace seesay::language {

double normalised_score(double sum, std::size_t length, double exponent) {
    return length == 0 ? sum : sum / std::pow(static_cast<double>(length), exponent);
}

BeamSearch::BeamSearch(const DecodingOptions& options, const Vocabulary& vocabulary, int attended)
    : options_(options), vocabulary_(vocabulary), living_(1) {
    living_.front().sentence.attended = attended;
}

int BeamSearch::rows() const {
    return done_ ? 0 : static_cast<int>(living_.size());
}

int BeamSearch::last_token(int row) const {
    const auto& tokens = living_[static_cast<std::size_t>(row)].sentence.tokens;
    return tokens.empty() ? -1 : tokens.back();
}

/// Merges the continuations of one hypothesis into `best`, which stays sorted and at most 2·beam
/// long.
void BeamSearch::collect(const RowScores& scores, int row, std::vector<Continuation>& best) const {
    const auto before = [](const Continuation& a, const Continuation& b) {
        if (a.sum != b.sum) {
            return a.sum > b.sum;
        }
        return a.token != b.token ? a.token < b.token : a.row < b.row;
    };
    const auto room = static_cast<std::size_t>(2 * options_.beam);
    const double sum = living_[static_cast<std::size_t>(row)].sum;
    for (int token = 0; token < vocabulary_.size(); ++token) {
        const float log_probability = scores.logits[token] - scores.log_normaliser;
        const Continuation candidate{sum + log_probability, token, row, log_probability};
        if (scores.logits[token] == kForbidden ||
            (best.size() == room && !before(candidate, best.back()))) {
            continue;
        }
        if (best.size() == room) {
            best.pop_back();
        }
        best.insert(std::upper_bound(best.begin(), best.end(), candidate, before), candidate);
    }
}

BeamSearch::Hypothesis BeamSearch::extended(const Continuation& by,
                                            std::span<const RowScores> rows) const {
    Hypothesis next = living_[static_cast<std::size_t>(by.row)];
    next.sum = by.sum;
    next.sentence.tokens.push_back(by.token);
    next.sentence.log_probabilities.push_back(by.log_probability);
    const auto attention = rows[static_cast<std::size_t>(by.row)].attention;
    next.sentence.attention.insert(next.sentence.attention.end(), attention.begin(),
                                   attention.end());
    return next;
}

void BeamSearch::finish(const Continuation& by) {
    const Hypothesis& hypothesis = living_[static_cast<std::size_t>(by.row)];
    const double score =
        normalised_score(by.sum, hypothesis.sentence.tokens.size() + 1, options_.length_exponent);
    if (finished_ == 0 || score > best_finished_.score) {
        best_finished_ = hypothesis.sentence;
        best_finished_.score = score;
        best_finished_.end_log_probability = by.log_probability;
        best_finished_.complete = true;
    }
    ++finished_;
}

/// Can no living hypothesis beat the best finished one any more? Σ log p only falls, and dividing
/// by a larger length helps at most up to the longest sentence.
bool BeamSearch::decided() const {
    if (finished_ == 0) {
        return false;
    }
    const auto longest = static_cast<std::size_t>(options_.maximum_length) + 1;
    return std::all_of(living_.begin(), living_.end(), [&](const Hypothesis& hypothesis) {
        return normalised_score(hypothesis.sum, longest, options_.length_exponent) <=
               best_finished_.score;
    });
}

std::vector<int> BeamSearch::advance(std::span<const RowScores> rows) {
    std::vector<Continuation> best;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        forbid_words(options_, vocabulary_, living_[row].sentence.tokens, rows[row].logits);
        collect(rows[row], static_cast<int>(row), best);
    }
    const bool last =
        living_.front().sentence.tokens.size() == static_cast<std::size_t>(options_.maximum_length);
    std::vector<Hypothesis> next;
    std::vector<int> parents;
    const auto beam = static_cast<std::size_t>(options_.beam);
    for (std::size_t rank = 0; rank < best.size() && next.size() < beam; ++rank) {
        if (best[rank].token == vocabulary_.end()) {
            if (rank < beam) {
                finish(best[rank]);
            }
        } else if (!last) {
            next.push_back(extended(best[rank], rows));
            parents.push_back(best[rank].row);
        }
    }
    if (next.empty() || finished_ >= options_.beam) {
        done_ = true;
        return {};
    }
    living_ = std::move(next);
    done_ = decided();
    return done_ ? std::vector<int>{} : parents;
}

Sentence BeamSearch::result() {
    if (finished_ > 0) {
        return std::move(best_finished_);
    }
    Sentence* best = nullptr;
    for (Hypothesis& hypothesis : living_) {
        Sentence& sentence = hypothesis.sentence;
        sentence.score =
            normalised_score(hypothesis.sum, sentence.tokens.size(), options_.length_exponent);
        if (best == nullptr || sentence.score > best->score) {
            best = &sentence;
        }
    }
    return std::move(*best);
}

}  // namespace seesay::language
