// What a training run leaves: packages with provenance, figures and model cards.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/language/vocabulary.hpp"
#include "models/training/evaluation.hpp"
#include "models/training/network_captioner.hpp"
#include "models/training/training_run.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::training {

/// A run whose best epoch is known. Refers to the run's own objects.
struct TrainedRun {
    const TrainingRunOptions& options;
    const CaptionData& data;
    const language::Vocabulary& vocabulary;
    NetworkStatement network;
    const weights::ModelPackage& encoder;  ///< whose features the captioner reads
    std::int64_t best_epoch = 0;
    nlohmann::json held_out_scores;
};

/// Writes `options.output` from float32 tensors, with the figures of the evaluation list measured
/// on the float16 weights of the package. Throws Error.
void write_captioner(const TrainedRun& run, const std::vector<weights::NamedTensor>& tensors,
                     const PictureProgress& progress);

/// Writes `options.encoder_output`: `run.encoder` with these tensors. Throws Error.
void write_tuned_encoder(const TrainedRun& run, const std::vector<weights::NamedTensor>& tensors);

}  // namespace seesay::training
