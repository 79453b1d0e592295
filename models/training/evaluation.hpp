// Captioning a data set with a package and scoring the captions: `seesay evaluate`, and the figures
// on model cards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/language/captioner.hpp"
#include "models/language/decoding_options.hpp"
#include "models/metrics/caption_scores.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::training {

/// Pictures done so far, and in all.
using PictureProgress = std::function<void(std::int64_t done, std::int64_t all)>;

/// Captions for many FeatureSets, decoded in batches.
std::vector<std::string> caption_all(const language::Captioner& captioner,
                                     const std::vector<vision::FeatureSet>& features,
                                     const language::DecodingOptions& options,
                                     const PictureProgress& progress = {});

/// What to evaluate.
struct EvaluationOptions {
    std::filesystem::path images;    ///< folder
    std::filesystem::path captions;  ///< references: TSV, Karpathy JSON or COCO JSON
    std::filesystem::path list;      ///< names to use; empty: all with references
    std::string package = "default";
    std::optional<int> beam;                ///< absent: the package's
    std::optional<double> length_exponent;  ///< absent: the package's
    nlohmann::json decoding;                ///< further decoding options as in model.json, or null
    nlohmann::json network;                 ///< options of the network as in model.json, or null
    std::string device = "auto";
    int threads = 0;  ///< 0: one a core
};

/// What came out.
struct Evaluation {
    std::string package_name;
    std::string package_sha256;
    std::string architecture;
    language::DecodingOptions decoding;
    std::vector<std::string> images;    ///< names, in the order of the list
    std::vector<std::string> captions;  ///< one an image
    metrics::CaptionScores scores;
};

/// Throws Error: missing pictures or references, an unusable package.
Evaluation evaluate(const EvaluationOptions& options, const PictureProgress& progress = {});

/// The same for several packages on the same pictures, which are encoded once for each encoder. The
/// result is in the order of `packages`.
std::vector<Evaluation> compare(const EvaluationOptions& options,
                                const std::vector<std::string>& packages,
                                const PictureProgress& progress = {});

/// Pictures encoded once, to be decoded in several ways.
class EvaluationSet {
 public:
    EvaluationSet(const EvaluationOptions& options, const PictureProgress& progress);
    [[nodiscard]] Evaluation run(const language::Captioner& captioner,
                                 const language::DecodingOptions& decoding) const;

 private:
    std::vector<std::string> names_;
    std::vector<vision::FeatureSet> features_;
    std::optional<metrics::ReferenceSet> references_;
};

}  // namespace seesay::training
