// EfficientNet-Lite 0–2 checkpoints → the content of an encoder package.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/weights/checkpoint.hpp"

namespace seesay::import {

/// All that write_package needs.
struct PackageContent {
    std::string architecture;
    nlohmann::json manifest;
    std::vector<weights::NamedTensor> tensors;
    std::string model_card;
};

/// Where a checkpoint came from, as the package records it.
struct CheckpointSource {
    std::string file;    ///< name without folder
    std::string sha256;  ///< of the file
};

/// Whether `tensors` look like an EfficientNet of this naming (`_conv_stem`, `_blocks.N…`).
bool has_efficientnet_names(const std::vector<weights::NamedTensor>& tensors);

/// Recognises the variant by shapes, leaves the classifier out, rounds convolutions to float16.
/// Throws Error, starting with `origin`, for a tensor that is missing, unexpected, of another shape
/// or type, or not finite.
PackageContent efficientnet_lite_package(const std::vector<weights::NamedTensor>& tensors,
                                         const std::string& name, const CheckpointSource& source,
                                         const std::string& origin);

}  // namespace seesay::import
