// The fast path on CPUs: oneDNN called directly. Blocked layouts from the first convolution to the
// last, weights packed once, ReLU6 and residual sums inside the convolutions.
#pragma once

#include "models/vision/feature_network.hpp"
#include "models/vision/folded_network.hpp"

namespace seesay::vision {

/// Arithmetic of the convolutions. Bf16 keeps weights and activations in bfloat16 and sums in
/// float32.
enum class Precision { Fp32, Bf16 };

/// False where seesay was built without oneDNN.
bool has_onednn();

/// True where the processor multiplies bfloat16 and a convolution in it was tried and ran.
bool onednn_runs_bf16();

/// The version of the library in use, "2.6.3"; empty without oneDNN.
std::string onednn_version();

/// The network on the calling thread's OpenMP team: its present size is built into the result, so
/// build and run with the same (tensor::ThreadScope). Throws Error without oneDNN, and for Bf16
/// where that does not run.
std::unique_ptr<FeatureNetwork> make_onednn_network(const FoldedNetwork& network,
                                                    const Preprocessing& preprocessing,
                                                    Precision precision);

}  // namespace seesay::vision
