// Model cards: the README.md of a package that training writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/training/training_run.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::training {

/// What a captioner's card is written from.
struct ModelCardFacts {
    const TrainingRunOptions& options;
    const nlohmann::json& manifest;  ///< of the captioner
    const CaptionData& data;
    const nlohmann::json&
        figures;  ///< one object a beam, or null where there was no evaluation list
    std::int64_t best_epoch;
    const nlohmann::json& encoder;  ///< manifest of the encoder
};

std::string model_card(const ModelCardFacts& facts);

/// The card of an encoder whose top was tuned: what changed, and the notice of what it was made
/// from.
std::string tuned_encoder_card(const TrainingRunOptions& options,
                               const weights::ModelPackage& original);

}  // namespace seesay::training
