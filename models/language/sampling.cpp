// Drawing words.
#include "models/language/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/error.hpp"

namespace seesay::language {

void check(const Sampling& sampling) {
    if (!(sampling.temperature >= 0.01 && sampling.temperature <= 100)) {
        throw Error("temperature must lie from 0.01 to 100");
    }
    if (sampling.top_k < 0) {
        throw Error("top-k must be 0 (all words) or more");
    }
    if (!(sampling.nucleus > 0 && sampling.nucleus <= 1)) {
        throw Error("nucleus must lie above 0 and be at most 1");
    }
}

SampledSentence::SampledSentence(const DecodingOptions& options, const Sampling& sampling,
                                 const Vocabulary& vocabulary, int attended)
    : options_(options),
      sampling_(sampling),
      vocabulary_(vocabulary),
      rules_(options, vocabulary),
      random_(sampling.seed) {
    check(sampling);
    if (rules_.required() > 0) {
        throw Error("decoding: required words need beam search; a drawn sentence may miss them");
    }
    sentence_.attended = attended;
}

int SampledSentence::last_token(int /*row*/) const {
    return sentence_.tokens.empty() ? -1 : sentence_.tokens.back();
}

int SampledSentence::draw(const float* logits) {
    const auto size = static_cast<std::size_t>(vocabulary_.size());
    const double largest = *std::max_element(logits, logits + size);
    weights_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        weights_[i] = std::exp((logits[i] - largest) / sampling_.temperature);
    }
    const auto top_k = static_cast<std::size_t>(sampling_.top_k);
    if ((top_k > 0 && top_k < size) || sampling_.nucleus < 1) {
        order_.resize(size);
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
            return weights_[static_cast<std::size_t>(a)] > weights_[static_cast<std::size_t>(b)];
        });
        const std::size_t most = top_k > 0 ? std::min(top_k, size) : size;
        double sum = 0;
        for (std::size_t i = 0; i < most; ++i) {
            sum += weights_[static_cast<std::size_t>(order_[i])];
        }
        double kept = 0;
        std::size_t count = 0;
        while (count < most && kept < sampling_.nucleus * sum) {
            kept += weights_[static_cast<std::size_t>(order_[count++])];
        }
        for (std::size_t i = std::max<std::size_t>(count, 1); i < size; ++i) {
            weights_[static_cast<std::size_t>(order_[i])] = 0;
        }
    }
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    // 53 random bits in [0, 1): std::uniform_real_distribution differs between libraries.
    double left = static_cast<double>(random_() >> 11) * 0x1.0p-53 * sum;
    int last = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (weights_[i] <= 0) {
            continue;
        }
        last = static_cast<int>(i);
        if (left < weights_[i]) {
            break;
        }
        left -= weights_[i];
    }
    return last;
}

std::vector<int> SampledSentence::advance(std::span<const RowScores> rows) {
    const RowScores& row = rows.front();
    rules_.apply(sentence_.tokens, row.logits);
    const int token = draw(row.logits);
    const float log_probability = row.logits[token] - row.log_normaliser;
    if (token == vocabulary_.end()) {
        sentence_.end_log_probability = log_probability;
        sentence_.complete = true;
        sum_ += log_probability;
        done_ = true;
    } else if (sentence_.tokens.size() == static_cast<std::size_t>(options_.maximum_length)) {
        done_ = true;
    } else {
        sentence_.tokens.push_back(token);
        sentence_.log_probabilities.push_back(log_probability);
        sentence_.attention.insert(sentence_.attention.end(), row.attention.begin(),
                                   row.attention.end());
        sum_ += log_probability;
    }
    return done_ ? std::vector<int>{} : std::vector<int>{0};
}

std::vector<Sentence> SampledSentence::results() {
    const std::size_t length = sentence_.tokens.size() + (sentence_.complete ? 1 : 0);
    sentence_.score = normalised_score(sum_, length, options_);
    return {std::move(sentence_)};
}

}  // namespace seesay::language
