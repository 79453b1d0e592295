// TrainingOptions as JSON, and the sizes that they start from.
#include "models/training/training_options.hpp"

#include "models/error.hpp"

namespace seesay::training {

NetworkStatement default_network(const std::string& architecture) {
    if (architecture == "show-attend-tell") {
        return {architecture,
                {{"projection", 512}, {"attention", 256}, {"hidden", 512}, {"embedding", 512}},
                {{"deep_output", "linear"}, {"tied_output", true}, {"projection_norm", true}}};
    }
    if (architecture == "nic") {
        return {architecture,
                {{"embedding", 320}, {"hidden", 320}},
                {{"cell", "lstm"}, {"tied_output", true}}};
    }
    if (architecture == "att2in") {
        return {architecture,
                {{"attention", 256}, {"hidden", 512}, {"embedding", 512}},
                {{"embedded", true}}};
    }
    if (architecture == "up-down") {
        return {architecture,
                {{"attention", 256}, {"hidden", 512}, {"embedding", 512}},
                {{"embedded", true}, {"attention_bias", true}}};
    }
    if (architecture == "transformer") {
        return {architecture,
                {{"width", 192},
                 {"heads", 4},
                 {"feed_forward", 768},
                 {"encoder_layers", 1},
                 {"decoder_layers", 3}},
                {{"norm_place", "before"}, {"norm", "layer_norm"}, {"tied_output", true}}};
    }
    throw Error("there is no captioner architecture \"" + architecture + "\" to train");
}

language::NetworkDropout dropout_for(const std::string& architecture, const DropoutChoice& choice) {
    language::NetworkDropout dropout;
    if (architecture == "transformer") {
        dropout.features = dropout.embedding = dropout.hidden = 0.1;
    }
    if (architecture != "show-attend-tell") {
        if (choice.output.value_or(0) > 0) {
            throw Error(
                "dropout before the vocabulary belongs to the deep output of "
                "show-attend-tell; " +
                architecture + " has none");
        }
        dropout.output = 0;
    }
    dropout.features = choice.features.value_or(dropout.features);
    dropout.embedding = choice.embedding.value_or(dropout.embedding);
    dropout.hidden = choice.hidden.value_or(dropout.hidden);
    dropout.output = choice.output.value_or(dropout.output);
    dropout.words = choice.words.value_or(dropout.words);
    return dropout;
}

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
                        {"architecture", network.architecture},
                        {"sizes", network.sizes},
                        {"options", network.options},
                        {"dropout",
                         {{"features", dropout.features},
                          {"embedding", dropout.embedding},
                          {"hidden", dropout.hidden},
                          {"output", dropout.output},
                          {"words", dropout.words}}}};
    if (hard_attention.drawn > 0) {
        json["hard_attention"] = hard_attention.to_json();
    }
    if (scheduled_sampling > 0) {
        json["scheduled_sampling"] = scheduled_sampling;
    }
    if (!initial_sha256.empty()) {
        json["initial"] = initial_sha256;
    }
    if (objective == Objective::SelfCritical) {
        json["self_critical"] = self_critical.to_json();
    }
    return json;
}

}  // namespace seesay::training
