// A whole training run: data, features, epochs, early stop, resume, and a package at the end.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "models/language/decoding_options.hpp"
#include "models/training/caption_data.hpp"
#include "models/training/trainer.hpp"
#include "models/training/training_options.hpp"

namespace seesay::training {

/// What to train and where things go.
struct TrainingRunOptions {
    CaptionDataOptions data;
    TrainingOptions training;  ///< its dropout is decided by `dropout` and the architecture
    DropoutChoice dropout;
    std::string encoder;  ///< package argument; empty: that of `initial`, else encoder-lite2
    /// Captioner package to start from: its vocabulary, sizes and weights. Empty: random weights.
    std::string initial;
    std::filesystem::path output;  ///< the captioner package; must not exist unless `replace`
    std::string name;              ///< of the package; empty: the output folder's name
    std::filesystem::path
        work;  ///< state, log and best weights so far; a run goes on from what is there
    std::filesystem::path cache;  ///< features; several runs can share it
    std::string device = "auto";
    bool replace = false;
    int fine_tune_from = -1;  ///< first block of the encoder that is trained too; -1: frozen
    std::filesystem::path
        encoder_output;  ///< the tuned encoder's package; needed with fine_tune_from
    language::DecodingOptions
        decoding;            ///< the package's defaults, and how held-out pictures are captioned
    std::string data_name;   ///< for the model card
    std::string data_terms;  ///< for the model card
    std::string command;     ///< for the model card: how to run this again
};

/// One line of progress.
struct TrainingProgress {
    std::string stage;  ///< "features", "training", "held-out pictures", "evaluation pictures"
    std::int64_t done = 0;
    std::int64_t all = 0;
    std::optional<StepReport> step;  ///< while training
    std::int64_t epoch = 0;          ///< from 1, while training
};

/// After each epoch.
struct EpochReport {
    std::int64_t epoch = 0;    ///< from 1
    double cross_entropy = 0;  ///< mean over the epoch's words
    double reward = 0;         ///< mean over the epoch's drawn captions; self-critical only
    double bleu_4 = 0;         ///< on the held-out pictures
    double cider_d = 0;        ///< on the held-out pictures; decides
    bool best = false;
    double minutes = 0;  ///< of training so far, over all resumed parts
};

struct TrainingCallbacks {
    std::function<void(const TrainingProgress&)> progress;
    std::function<void(const EpochReport&)> epoch;
    std::function<void(const std::string&)> note;  ///< a line worth reading
    std::function<bool()> stop;                    ///< asked after each step; true: save and end
};

/// How a run ended.
struct TrainingOutcome {
    bool finished =
        false;  ///< false: stopped by the user or the time limit; the package holds the best so far
    std::int64_t best_epoch = 0;  ///< 0: no epoch was completed, no package written
    std::filesystem::path package;
};

/// Trains. Everything is logged as JSON lines to `work`/log.jsonl. Throws Error.
TrainingOutcome run_training(const TrainingRunOptions& options, const TrainingCallbacks& callbacks);

}  // namespace seesay::training
