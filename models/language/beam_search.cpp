// Beam search: candidates and finished hypotheses, with and without groups.
#include "models/language/beam_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace seesay::language {

double normalised_score(double sum, std::size_t length, const DecodingOptions& options) {
    if (length == 0) {
        return sum;
    }
    const auto tokens = static_cast<double>(length);
    const double base = options.length_penalty == LengthPenalty::Wu ? (5.0 + tokens) / 6.0 : tokens;
    return sum / std::pow(base, options.length_exponent);
}

BeamSearch::BeamSearch(const DecodingOptions& options, const Vocabulary& vocabulary, int attended)
    : options_(options), vocabulary_(vocabulary), rules_(options, vocabulary), living_(1) {
    living_.front().sentence.attended = attended;
}

int BeamSearch::rows() const {
    return done_ ? 0 : static_cast<int>(living_.size());
}

int BeamSearch::last_token(int row) const {
    const auto& tokens = living_[static_cast<std::size_t>(row)].sentence.tokens;
    return tokens.empty() ? -1 : tokens.back();
}

/// Merges the continuations of one hypothesis into the ranking of the required words that they will
/// have said. A sentence ends only when all were.
void BeamSearch::collect(const RowScores& scores, int row, std::span<const float> costs,
                         std::vector<Ranking>& rankings) const {
    const auto before = [](const Continuation& a, const Continuation& b) {
        if (a.sum != b.sum) {
            return a.sum > b.sum;
        }
        return a.token != b.token ? a.token < b.token : a.row < b.row;
    };
    const auto room = static_cast<std::size_t>(2 * options_.beam);
    const Hypothesis& hypothesis = living_[static_cast<std::size_t>(row)];
    const bool may_end = hypothesis.said + 1 == rankings.size();
    for (int token = 0; token < vocabulary_.size(); ++token) {
        if (scores.logits[token] == kForbidden || (token == vocabulary_.end() && !may_end)) {
            continue;
        }
        const float log_probability = scores.logits[token] - scores.log_normaliser;
        const float cost = costs.empty() ? 0.F : costs[static_cast<std::size_t>(token)];
        const Continuation candidate{hypothesis.sum + log_probability - cost, token, row,
                                     log_probability};
        Ranking& best = rankings[rules_.said(hypothesis.said, token)];
        if (best.size() == room && !before(candidate, best.back())) {
            continue;
        }
        if (best.size() == room) {
            best.pop_back();
        }
        best.insert(std::upper_bound(best.begin(), best.end(), candidate, before), candidate);
    }
}

BeamSearch::Hypothesis BeamSearch::extended(const Continuation& by, std::span<const RowScores> rows,
                                            unsigned said) const {
    Hypothesis next = living_[static_cast<std::size_t>(by.row)];
    next.sum = by.sum;
    next.said = said;
    next.sentence.tokens.push_back(by.token);
    next.sentence.log_probabilities.push_back(by.log_probability);
    const auto attention = rows[static_cast<std::size_t>(by.row)].attention;
    next.sentence.attention.insert(next.sentence.attention.end(), attention.begin(),
                                   attention.end());
    return next;
}

void BeamSearch::finish(const Continuation& by) {
    const Hypothesis& hypothesis = living_[static_cast<std::size_t>(by.row)];
    const double score = normalised_score(by.sum, hypothesis.sentence.tokens.size() + 1, options_);
    if (finished_ == 0 || score > best_finished_score_) {
        best_finished_score_ = score;
        best_finished_ = hypothesis.sentence;
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
        return normalised_score(hypothesis.sum, longest, options_) <= best_finished_score_;
    });
}

std::vector<int> BeamSearch::advance(std::span<const RowScores> rows) {
    return advance(rows, {});
}

std::vector<int> BeamSearch::advance(std::span<const RowScores> rows,
                                     std::span<const float> costs) {
    std::vector<Ranking> rankings(std::size_t{1} << static_cast<unsigned>(rules_.required()));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        rules_.apply(living_[row].sentence.tokens, rows[row].logits);
        collect(rows[row], static_cast<int>(row), costs, rankings);
    }
    const bool last =
        living_.front().sentence.tokens.size() == static_cast<std::size_t>(options_.maximum_length);
    std::vector<Hypothesis> next;
    std::vector<int> parents;
    const auto beam = static_cast<std::size_t>(options_.beam);
    for (std::size_t said = 0; said < rankings.size(); ++said) {
        const Ranking& best = rankings[said];
        std::size_t kept = 0;
        for (std::size_t rank = 0; rank < best.size() && kept < beam; ++rank) {
            if (best[rank].token == vocabulary_.end()) {
                if (rank < beam) {
                    finish(best[rank]);
                }
            } else if (!last) {
                next.push_back(extended(best[rank], rows, static_cast<unsigned>(said)));
                parents.push_back(best[rank].row);
                ++kept;
            }
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

std::vector<Sentence> BeamSearch::results() {
    Sentence* best = nullptr;
    if (finished_ > 0) {
        best = &best_finished_;
    } else {
        // Of those that said most of the required words, the best.
        const auto better = [this](const Hypothesis& a, const Hypothesis& b) {
            const int many = std::popcount(a.said), few = std::popcount(b.said);
            return many != few ? many > few
                               : normalised_score(a.sum, a.sentence.tokens.size(), options_) >
                                     normalised_score(b.sum, b.sentence.tokens.size(), options_);
        };
        best = &std::min_element(living_.begin(), living_.end(), better)->sentence;
    }
    double sum = 0.0;  // without costs
    for (const float log_probability : best->log_probabilities) {
        sum += log_probability;
    }
    sum += best->end_log_probability;
    best->score = normalised_score(sum, best->tokens.size() + (best->complete ? 1 : 0), options_);
    return {std::move(*best)};
}

DiverseBeamSearch::DiverseBeamSearch(const DecodingOptions& options, const Vocabulary& vocabulary,
                                     int attended)
    : diversity_(options.diversity), vocabulary_size_(vocabulary.size()) {
    DecodingOptions of_group = options;
    of_group.beam = options.beam / options.groups;
    for (int group = 0; group < options.groups; ++group) {
        groups_.emplace_back(of_group, vocabulary, attended);
    }
}

int DiverseBeamSearch::rows() const {
    int rows = 0;
    for (const BeamSearch& group : groups_) {
        rows += group.rows();
    }
    return rows;
}

int DiverseBeamSearch::last_token(int row) const {
    for (const BeamSearch& group : groups_) {
        if (row < group.rows()) {
            return group.last_token(row);
        }
        row -= group.rows();
    }
    return -1;
}

std::vector<int> DiverseBeamSearch::advance(std::span<const RowScores> rows) {
    std::vector<float> costs(static_cast<std::size_t>(vocabulary_size_), 0.F);
    std::vector<int> parents;
    std::size_t first = 0;
    for (BeamSearch& group : groups_) {
        const auto count = static_cast<std::size_t>(group.rows());
        if (count == 0) {
            continue;
        }
        for (const int parent : group.advance(rows.subspan(first, count), costs)) {
            parents.push_back(static_cast<int>(first) + parent);
        }
        for (int row = 0; row < group.rows(); ++row) {
            costs[static_cast<std::size_t>(group.last_token(row))] +=
                static_cast<float>(diversity_);
        }
        first += count;
    }
    return parents;
}

std::vector<Sentence> DiverseBeamSearch::results() {
    std::vector<Sentence> sentences;
    for (BeamSearch& group : groups_) {
        sentences.push_back(group.results().front());
    }
    std::stable_sort(sentences.begin(), sentences.end(),
                     [](const Sentence& a, const Sentence& b) { return a.score > b.score; });
    return sentences;
}

}  // namespace seesay::language
