// The network through LibTorch: frozen TorchScript where oneDNN is absent or the device is a GPU,
// and eager with BatchNorm kept as the reference of tests and `bench`.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/vision/feature_network.hpp"
#include "models/vision/folded_network.hpp"

namespace seesay::vision {

/// Folded layers as generated TorchScript source, frozen and optimised for inference on `device`,
/// float32.
std::unique_ptr<FeatureNetwork> make_script_network(const FoldedNetwork& network,
                                                    const Preprocessing& preprocessing,
                                                    at::Device device);

/// EfficientNetLite itself in evaluation mode on `device`, float32. Throws Error as its `load`
/// does.
std::unique_ptr<FeatureNetwork> make_eager_network(const EfficientNetLiteSizes& sizes,
                                                   const weights::Safetensors& tensors,
                                                   const Preprocessing& preprocessing,
                                                   at::Device device);

}  // namespace seesay::vision
