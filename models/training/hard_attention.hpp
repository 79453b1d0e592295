// Hard attention: the variational bound of Xu et al. 2015, §4.1, with REINFORCE for the places.
#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>

#include "models/language/packed_captions.hpp"

namespace seesay::training {

struct HardAttentionOptions {
    /// Probability that a caption looks at drawn places; else it looks at the expectation (0.5 in
    /// the paper). 0: soft attention.
    double drawn = 0.0;
    double reinforce = 0.1;  ///< λ_r, weight of the places' gradient
    double entropy = 0.002;  ///< λ_e, weight of the attention's entropy
    double decay = 0.9;      ///< of the moving-average baseline
    /// The reward is the mean log-probability of the caption's words, as in the authors' code;
    /// false: their sum, as in the paper's equation.
    bool per_word = true;

    [[nodiscard]] nlohmann::json to_json() const;
};

/// Throws Error naming the option if one is out of range.
void check(const HardAttentionOptions& options);

/// What the places add to the loss, and the new baseline.
struct HardAttentionLoss {
    at::Tensor loss;      ///< scalar
    double baseline = 0;  ///< b_k = decay·b_{k−1} + (1 − decay)·mean reward
    double entropy = 0;   ///< mean of the steps' attention entropy, nats
};

/// −1/S Σ_n [λ_r (log p(y_n | s̃_n) − b) log p(s̃_n) + λ_e Σ_t H(α_nt)] over packed captions with S
/// words; the first sum only over captions whose places were drawn. Added to the mean
/// cross-entropy of the words, its gradient is the paper's. `word_log_probabilities` `[S]` of the
/// target words (their gradient is not taken), `forced` of the same captions.
HardAttentionLoss hard_attention_loss(const at::Tensor& word_log_probabilities,
                                      const language::TeacherForcing& forced,
                                      const language::PackedCaptions& captions, double baseline,
                                      const HardAttentionOptions& options);

}  // namespace seesay::training
