// Self-critical sequence training (Rennie et al. 2017): captions are drawn, rewarded, and made more
// probable where they beat a baseline.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/language/captioner.hpp"
#include "models/language/decoding.hpp"
#include "models/language/packed_captions.hpp"
#include "models/metrics/cider_d.hpp"
#include "models/training/caption_data.hpp"

namespace seesay::training {

/// What a drawn caption's reward is compared with.
enum class Baseline {
    OtherSamples,  ///< the mean reward of the picture's other samples
    Greedy,        ///< the reward of the greedy caption, as in the paper
};

struct SelfCriticalOptions {
    int samples = 5;  ///< captions drawn for each picture, 2…100 (1 with the greedy baseline)
    Baseline baseline = Baseline::OtherSamples;
    double cider_d = 1.0;  ///< weight of CIDEr-D, as coco-caption scales it, in the reward
    double bleu_4 = 0.0;   ///< weight of the sentence's BLEU-4

    [[nodiscard]] nlohmann::json to_json() const;
};

/// Throws Error naming the option if one is out of range.
void check(const SelfCriticalOptions& options);

/// How good a caption of a training picture is, by the picture's own captions. The end of a
/// sentence counts as one more word, once, in captions, references and document frequencies alike:
/// otherwise sentences learn to break off. Document frequencies come from the training pictures.
/// A word outside the vocabulary matches nothing.
class CaptionReward {
 public:
    CaptionReward(const std::vector<CaptionedPicture>& pictures,
                  const language::Vocabulary& vocabulary, const SelfCriticalOptions& options);

    /// The reward of a decoded sentence for picture `picture` of the list given.
    [[nodiscard]] double score(std::size_t picture, const language::Sentence& sentence) const;

 private:
    const language::Vocabulary& vocabulary_;
    SelfCriticalOptions options_;
    std::vector<std::vector<metrics::Sentence>> references_;
    metrics::CiderD cider_d_;
    std::vector<metrics::CiderD::References> weighted_;
};

/// Captions drawn for a batch of pictures.
struct DrawnCaptions {
    /// As language::pack_captions wants them: an incomplete caption has one token more than the
    /// maximum, so that packing cuts it and leaves its end out.
    std::vector<std::vector<std::int64_t>> captions;
    std::vector<std::int64_t> pictures;  ///< which picture of the batch each caption describes
    std::vector<double> advantages;      ///< reward − baseline, one a caption
    double mean_reward = 0;
    double mean_baseline = 0;
};

/// Draws captions for `features[i]`, which belong to picture `pictures[i]` of the training list.
/// Nothing is forbidden (but pad and start): what is drawn is what the gradient is of.
DrawnCaptions draw_captions(const language::Captioner& captioner,
                            const std::vector<vision::FeatureSet>& features,
                            const std::vector<std::size_t>& pictures, const CaptionReward& reward,
                            const SelfCriticalOptions& options, int maximum_length,
                            std::uint64_t seed);

/// −1/R Σ_r A_r Σ_t log p(w_rt | …): its gradient is an unbiased estimate of the gradient of the
/// negative expected reward (equation 7 of the paper). `log_probabilities` `[S, V]` of packed
/// captions, `advantages` in the order in which the captions were given to pack_captions. Scalar.
at::Tensor self_critical_loss(const at::Tensor& log_probabilities,
                              const language::PackedCaptions& packed,
                              const std::vector<double>& advantages);

}  // namespace seesay::training
