// Rewards, baselines and the surrogate loss.
#include "models/training/self_critical.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "models/error.hpp"
#include "models/metrics/bleu.hpp"
#include "models/training/random.hpp"

namespace seesay::training {
namespace {

// The references of every picture, each with the end of the sentence as its last word.
std::vector<std::vector<metrics::Sentence>> ended_references(
    const std::vector<CaptionedPicture>& pictures, const std::string& end) {
    std::vector<std::vector<metrics::Sentence>> references;
    for (const CaptionedPicture& picture : pictures) {
        references.push_back(picture.words);
        for (metrics::Sentence& reference : references.back()) {
            reference.push_back(end);
        }
    }
    return references;
}

language::DecodingOptions unrestricted(int maximum_length) {
    language::DecodingOptions options;
    options.beam = 1;
    options.length_exponent = 0;
    options.maximum_length = maximum_length;
    options.minimum_length = 0;
    options.suppress_unknown = false;
    options.forbid_repeats = false;
    options.block_ngrams = 0;
    return options;
}

std::vector<std::int64_t> for_packing(const language::Sentence& sentence, int maximum_length,
                                      std::int64_t end) {
    std::vector<std::int64_t> tokens(sentence.tokens.begin(), sentence.tokens.end());
    if (!sentence.complete) {
        tokens.resize(static_cast<std::size_t>(maximum_length) + 1, end);
    }
    return tokens;
}

}  // namespace

nlohmann::json SelfCriticalOptions::to_json() const {
    return {{"samples", samples},
            {"baseline", baseline == Baseline::Greedy ? "greedy" : "others"},
            {"cider_d", cider_d},
            {"bleu_4", bleu_4}};
}

void check(const SelfCriticalOptions& options) {
    const int least = options.baseline == Baseline::Greedy ? 1 : 2;
    if (options.samples < least || options.samples > 100) {
        throw Error("samples must lie from " + std::to_string(least) +
                    " to 100: a sample is compared with the picture's others");
    }
    if (!(options.cider_d >= 0) || !(options.bleu_4 >= 0) ||
        options.cider_d + options.bleu_4 <= 0) {
        throw Error("the weights of the reward must not be negative, and one must be above 0");
    }
}

CaptionReward::CaptionReward(const std::vector<CaptionedPicture>& pictures,
                             const language::Vocabulary& vocabulary,
                             const SelfCriticalOptions& options)
    : vocabulary_(vocabulary),
      options_(options),
      references_(ended_references(pictures, vocabulary.word(vocabulary.end()))),
      cider_d_(references_) {
    for (const auto& references : references_) {
        weighted_.push_back(cider_d_.prepare(references));
    }
}

double CaptionReward::score(std::size_t picture, const language::Sentence& sentence) const {
    metrics::Sentence words;
    for (const int token : sentence.tokens) {
        words.push_back(vocabulary_.word(token));
    }
    if (sentence.complete) {
        words.push_back(vocabulary_.word(vocabulary_.end()));
    }
    double reward = 0;
    if (options_.cider_d > 0) {
        reward += options_.cider_d * cider_d_.score(words, weighted_.at(picture));
    }
    if (options_.bleu_4 > 0) {
        const auto bleu = metrics::bleu({words}, {references_.at(picture)});
        reward += options_.bleu_4 * bleu.images.front()[3];
    }
    return reward;
}

DrawnCaptions draw_captions(const language::Captioner& captioner,
                            const std::vector<vision::FeatureSet>& features,
                            const std::vector<std::size_t>& pictures, const CaptionReward& reward,
                            const SelfCriticalOptions& options, int maximum_length,
                            std::uint64_t seed) {
    std::vector<const vision::FeatureSet*> sets;
    for (const auto& set : features) {
        sets.push_back(&set);
    }
    std::vector<language::SentenceTask> tasks;
    const bool greedy = options.baseline == Baseline::Greedy;
    for (std::size_t i = 0; i < features.size(); ++i) {
        for (int sample = 0; sample < options.samples; ++sample) {
            language::SentenceTask& task = tasks.emplace_back();
            task.picture = static_cast<int>(i);
            task.options = unrestricted(maximum_length);
            task.sampling.emplace().seed = mix_seed(seed, i, static_cast<std::uint64_t>(sample));
        }
        if (greedy) {
            language::SentenceTask& task = tasks.emplace_back();
            task.picture = static_cast<int>(i);
            task.options = unrestricted(maximum_length);
        }
    }
    const auto sentences = language::decode(captioner, *captioner.prepare(sets), tasks);

    DrawnCaptions drawn;
    std::size_t next = 0;
    for (std::size_t i = 0; i < features.size(); ++i) {
        std::vector<double> rewards;
        for (int sample = 0; sample < options.samples; ++sample, ++next) {
            rewards.push_back(reward.score(pictures[i], sentences[next]));
            drawn.captions.push_back(
                for_packing(sentences[next], maximum_length, captioner.vocabulary().end()));
            drawn.pictures.push_back(static_cast<std::int64_t>(i));
        }
        const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
        const double of_greedy = greedy ? reward.score(pictures[i], sentences[next++]) : 0;
        for (const double value : rewards) {
            const double baseline =
                greedy ? of_greedy : (sum - value) / static_cast<double>(options.samples - 1);
            drawn.advantages.push_back(value - baseline);
            drawn.mean_reward += value;
            drawn.mean_baseline += baseline;
        }
    }
    const auto count = static_cast<double>(std::max<std::size_t>(drawn.captions.size(), 1));
    drawn.mean_reward /= count;
    drawn.mean_baseline /= count;
    return drawn;
}

at::Tensor self_critical_loss(const at::Tensor& log_probabilities,
                              const language::PackedCaptions& packed,
                              const std::vector<double>& advantages) {
    std::vector<double> sorted;
    for (const std::size_t given : packed.order) {
        sorted.push_back(advantages.at(given));
    }
    const at::Tensor weight = torch::tensor(sorted, at::kDouble).to(log_probabilities.options());
    const at::Tensor chosen = log_probabilities.gather(1, packed.targets.unsqueeze(1)).squeeze(1);
    return -(weight.index_select(0, packed.caption) * chosen).sum() /
           static_cast<double>(advantages.size());
}

}  // namespace seesay::training
