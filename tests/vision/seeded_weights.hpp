// EfficientNet-Lite weights from a formula, as tests/vision/seeded.py makes them: nothing has to be
// stored.
#pragma once

#include <memory>
#include <vector>

#include "models/vision/efficientnet_lite_sizes.hpp"
#include "models/weights/named_tensor.hpp"
#include "models/weights/safetensors.hpp"

namespace seesay::vision {

/// float32 values that depend on name and shape only.
std::vector<float> seeded_values(const std::string& name, const std::vector<std::int64_t>& shape);

/// All tensors of a network. The values live as long as the result.
std::vector<weights::NamedTensor> seeded_tensors(const EfficientNetLiteSizes& sizes);

/// The same as an opened file, through the writer and a temporary file.
weights::Safetensors seeded_file(const std::vector<weights::NamedTensor>& tensors);

}  // namespace seesay::vision
