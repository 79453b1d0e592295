// TrainingOptions: everything that decides what a training run computes. Written into the package's
// provenance.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "models/language/caption_network.hpp"
#include "models/training/hard_attention.hpp"
#include "models/training/network_captioner.hpp"
#include "models/training/self_critical.hpp"

namespace seesay::training {

/// What a step makes better.
enum class Objective {
    CrossEntropy,  ///< the probability of the next word of the captions
    SelfCritical,  ///< the reward of the captions that the network makes itself
};

/// Sizes and options of an architecture that a few thousand pictures can teach; without `features`
/// and `vocabulary`. Throws Error for an unknown architecture.
NetworkStatement default_network(const std::string& architecture);

/// Dropout that was asked for; what is absent takes the architecture's default.
struct DropoutChoice {
    std::optional<double> features, embedding, hidden, output, words;
};

/// The dropout for an architecture. Throws Error where something is asked for that it has no place
/// for.
language::NetworkDropout dropout_for(const std::string& architecture, const DropoutChoice& choice);

struct TrainingOptions {
    Objective objective = Objective::CrossEntropy;
    SelfCriticalOptions self_critical;  ///< for that objective; dropout and smoothing rest then
    std::string initial_sha256;         ///< package whose weights the run starts from; empty: none
    int epochs = 12;
    int pictures_per_step = 20;   ///< each with all its captions
    int views = 1;                ///< cached views a picture; one at random a step
    int maximum_length = 17;      ///< words of a caption; longer ones are cut
    int minimum_count = 4;        ///< of a word in the training captions, to be in the vocabulary
    double learning_rate = 1e-3;  ///< Adam's, at its height
    double encoder_learning_rate = 3e-5;  ///< of the tuned top of the encoder
    double final_rate = 0.01;             ///< of the height, where the cosine schedule ends
    int warm_up_steps = 200;              ///< rising from zero
    double clip = 5.0;                    ///< largest norm of the gradient
    double doubly_stochastic = 0.02;      ///< weight of Σ_i (1 − Σ_t α_ti)²
    double label_smoothing = 0.0;
    double weight_decay = 0.0;  ///< decoupled (AdamW), on matrices
    double average_decay =
        0.999;         ///< of the running mean of the weights that is kept; 0: the last weights
    int patience = 0;  ///< epochs without a better held-out score before stopping; 0: never
    std::uint64_t seed = 1;
    int threads = 0;                ///< 0: one a core
    double time_limit_minutes = 0;  ///< stop in good order after this; 0: none
    /// Sizes without `features` and `vocabulary`, which the data decide.
    NetworkStatement network = default_network("show-attend-tell");
    language::NetworkDropout dropout;
    HardAttentionOptions hard_attention;
    double scheduled_sampling = 0.0;  ///< probability that the network's own word is fed

    /// What changes the result: two runs with equal JSON and equal data compute the same.
    [[nodiscard]] nlohmann::json to_json() const;
};

}  // namespace seesay::training
