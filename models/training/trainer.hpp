// Trainer: the steps of a training run. Its whole state is weights, their mean, Adam's moments and
// the step's number.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/language/vocabulary.hpp"
#include "models/training/caption_data.hpp"
#include "models/training/feature_cache.hpp"
#include "models/training/self_critical.hpp"
#include "models/training/training_options.hpp"
#include "models/weights/named_tensor.hpp"

namespace seesay::training {

/// The trainable top of an encoder: from cached maps `[B, L0, D0]` to annotation vectors `[B, L,
/// D]`.
class EncoderTop {
 public:
    virtual ~EncoderTop() = default;
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& maps) = 0;
    [[nodiscard]] virtual std::vector<at::Tensor> parameters() = 0;
    [[nodiscard]] virtual int dimension() const = 0;
};

/// What one step did.
struct StepReport {
    std::int64_t step = 0;     ///< from 1, over all epochs
    double cross_entropy = 0;  ///< mean over words, nats, without smoothing
    double doubly_stochastic =
        0;  ///< mean over captions of Σ_i (1 − Σ_t α_ti)²; 0 without attention
    double attention_entropy = 0;  ///< mean over words, nats; hard attention only
    double gradient_norm = 0;      ///< before clipping
    double learning_rate = 0;
    std::int64_t words = 0;  ///< targets, end tokens included
    double reward = 0;       ///< mean of the drawn captions; self-critical training only
    double baseline = 0;     ///< mean of what the rewards were compared with, in hard attention too
};

/// Training by cross-entropy with teacher forcing, or self-critical. In the latter the captions
/// drawn are the targets, and `cross_entropy` is that of the network with itself. Deterministic:
/// every random choice is drawn from (seed, step), so a run that is resumed computes what it would
/// have computed (same machine, same thread count).
class Trainer {
 public:
    /// `top` may be null: the cached vectors are then the annotation vectors. `device` as
    /// tensor::parse_device takes it.
    Trainer(const TrainingOptions& options, const CaptionData& data,
            const language::Vocabulary& vocabulary, const FeatureCache& features,
            std::shared_ptr<EncoderTop> top, const std::string& device);
    ~Trainer();

    [[nodiscard]] std::int64_t steps_per_epoch() const { return steps_per_epoch_; }
    [[nodiscard]] std::int64_t steps_done() const { return step_; }
    [[nodiscard]] std::int64_t steps_in_all() const { return steps_per_epoch_ * options_.epochs; }

    /// Starts from these weights instead of random ones; before the first step or restore(). Throws
    /// Error if a name or shape does not fit the network.
    void start_from(const std::map<std::string, weights::NamedTensor>& tensors);

    /// Does the next step. Throws Error when the loss is not finite.
    StepReport step();

    /// The weights to keep (their running mean where the options ask for one), named as in
    /// `weights.safetensors`.
    [[nodiscard]] std::vector<weights::NamedTensor> captioner_tensors(weights::DataType type) const;
    /// Values for the top's parameters(), in their order: the running mean likewise.
    [[nodiscard]] std::vector<at::Tensor> top_parameters() const;

    /// Writes the state, under a temporary name first. `extra` is kept with it.
    void save(const std::filesystem::path& file, const nlohmann::json& extra) const;
    /// Reads a state back and returns `extra`. Throws Error if it was saved with other options.
    nlohmann::json restore(const std::filesystem::path& file);

 private:
    struct Batch;
    struct Network;
    [[nodiscard]] Batch next_batch() const;
    [[nodiscard]] double learning_rate_factor(std::int64_t step) const;
    void update_average();
    [[nodiscard]] at::Tensor cross_entropy(const Batch& batch, const at::Tensor& features,
                                           StepReport& report);
    [[nodiscard]] at::Tensor attention_terms(const language::TeacherForcing& forced,
                                             const language::PackedCaptions& packed,
                                             const at::Tensor& word_log_probabilities,
                                             StepReport& report);
    [[nodiscard]] at::Tensor self_critical(const Batch& batch, const at::Tensor& features,
                                           StepReport& report);
    [[nodiscard]] std::vector<weights::NamedTensor> tensors_of(
        const std::vector<at::Tensor>& values, weights::DataType type) const;

    TrainingOptions options_;
    const CaptionData& data_;
    const language::Vocabulary& vocabulary_;
    const FeatureCache& features_;
    std::vector<std::vector<std::vector<std::int64_t>>>
        tokens_;                                   ///< of each training picture's captions
    std::vector<std::vector<bool>> names_a_side_;  ///< captions that say left or right
    std::unique_ptr<CaptionReward> reward_;        ///< self-critical training only
    std::unique_ptr<Network> network_;
    double place_baseline_ = 0;  ///< hard attention: moving average of the reward
    std::int64_t steps_per_epoch_ = 0;
    std::int64_t step_ = 0;
};

}  // namespace seesay::training
