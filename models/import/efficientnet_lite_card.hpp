// The model card (README.md) of an EfficientNet-Lite encoder package.
#pragma once

#include <cstdint>
#include <string>

#include "models/import/efficientnet_lite_import.hpp"

namespace seesay::import {

/// Markdown: what it is, input and output, origin with checksum, what was changed, Apache-2.0
/// notice.
std::string efficientnet_lite_card(const std::string& architecture, const std::string& name,
                                   const CheckpointSource& source, std::int64_t numbers);

}  // namespace seesay::import
