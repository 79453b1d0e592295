// EfficientNet-Lite 0–2 checkpoints → the content of an encoder package.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/import/package_content.hpp"
#include "models/weights/checkpoint.hpp"

namespace seesay::import {

/// Whether `tensors` look like an EfficientNet of this naming (`_conv_stem`, `_blocks.N…`).
bool has_efficientnet_names(const std::vector<weights::NamedTensor>& tensors);

/// Recognises the variant by shapes, leaves the classifier out, rounds convolutions to float16.
/// Throws Error, starting with `origin`, for a tensor that is missing, unexpected, of another shape
/// or type, or not finite.
PackageContent efficientnet_lite_package(const std::vector<weights::NamedTensor>& tensors,
                                         const std::string& name, const CheckpointSource& source,
                                         const std::string& origin);

}  // namespace seesay::import
