// Rewards of captions, score function of places, entropy.
#include "models/training/hard_attention.hpp"

#include <torch/torch.h>

#include "models/error.hpp"

namespace seesay::training {
namespace {

// Keeps log α of an impossible place finite; its gradient is then 0.
constexpr double kSmallest = 1e-30;

}  // namespace

nlohmann::json HardAttentionOptions::to_json() const {
    return {{"drawn", drawn},
            {"reinforce", reinforce},
            {"entropy", entropy},
            {"decay", decay},
            {"reward", per_word ? "word" : "caption"}};
}

void check(const HardAttentionOptions& options) {
    if (!(options.drawn >= 0 && options.drawn <= 1)) {
        throw Error("the probability of drawn places must lie from 0 to 1");
    }
    if (!(options.reinforce >= 0) || !(options.entropy >= 0)) {
        throw Error("the weights of hard attention must not be negative");
    }
    if (!(options.decay >= 0 && options.decay < 1)) {
        throw Error("the decay of the baseline must lie from 0 to below 1");
    }
}

HardAttentionLoss hard_attention_loss(const at::Tensor& word_log_probabilities,
                                      const language::TeacherForcing& forced,
                                      const language::PackedCaptions& captions, double baseline,
                                      const HardAttentionOptions& options) {
    const auto words = static_cast<double>(word_log_probabilities.size(0));
    const std::int64_t count = captions.pictures.size(0);
    const at::Tensor per_caption = at::zeros({count}, word_log_probabilities.options());
    at::Tensor reward = per_caption.index_add(0, captions.caption, word_log_probabilities.detach());
    if (options.per_word) {
        reward = reward / per_caption.index_add(0, captions.caption,
                                                at::ones_like(word_log_probabilities).detach());
    }
    const at::Tensor log_attention = at::log(forced.attention.clamp_min(kSmallest));
    const at::Tensor drawn = forced.places >= 0;
    const at::Tensor log_place =
        log_attention.gather(1, forced.places.clamp_min(0).unsqueeze(1)).squeeze(1) *
        drawn.to(log_attention.scalar_type());
    const at::Tensor advantage = (reward - baseline).index_select(0, captions.caption);
    const at::Tensor entropy = -(forced.attention * log_attention).sum(1);

    HardAttentionLoss result;
    result.loss =
        -(options.reinforce * (advantage * log_place).sum() + options.entropy * entropy.sum()) /
        words;
    result.baseline = options.decay * baseline + (1 - options.decay) * reward.mean().item<double>();
    result.entropy = entropy.detach().mean().item<double>();
    return result;
}

}  // namespace seesay::training
