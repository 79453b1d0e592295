// TrainingOptions as JSON.
#include "models/training/training_options.hpp"

namespace seesay::training {

nlohmann::json TrainingOptions::to_json() const {
    nlohmann::json json{{"epochs", epochs},
                        {"pictures_per_step", pictures_per_step},
                        {"views", views},
                        {"maximum_length", maximum_length},
                        {"minimum_count", minimum_count},
                        {"learning_rate", learning_rate},
                        {"encoder_learning_rate", encoder_learning_rate},
                        {"final_rate", final_rate},
                        {"warm_up_steps", warm_up_steps},
                        {"clip", clip},
                        {"doubly_stochastic", doubly_stochastic},
                        {"label_smoothing", label_smoothing},
                        {"weight_decay", weight_decay},
                        {"average_decay", average_decay},
                        {"patience", patience},
                        {"seed", seed},
                        {"threads", threads},
                        {"sizes", sizes.sizes_json()},
                        {"options", sizes.options_json()},
                        {"dropout",
                         {{"features", dropout.features},
                          {"embedding", dropout.embedding},
                          {"hidden", dropout.hidden},
                          {"output", dropout.output},
                          {"words", dropout.words}}}};
    if (!initial_sha256.empty()) {
        json["initial"] = initial_sha256;
    }
    if (objective == Objective::SelfCritical) {
        json["self_critical"] = self_critical.to_json();
    }
    return json;
}

}  // namespace seesay::training
