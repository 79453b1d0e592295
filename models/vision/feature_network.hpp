// FeatureNetwork: one way of computing a backbone's grid features. GridEncoder chooses among them
// once, at load.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "models/vision/image.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::vision {

/// Computes on the thread that calls, one call at a time.
class FeatureNetwork {
 public:
    virtual ~FeatureNetwork() = default;
    /// How it computes, for logs, `doctor` and `bench`: "onednn fp32", "onednn bf16", "torchscript
    /// fp32", …
    [[nodiscard]] virtual std::string path() const = 0;
    /// Writes `[pictures.size(), rows · columns, dimension] float32`, row-major. Every picture has
    /// the size that the network was built for.
    virtual void forward(std::span<const Image> pictures, float* vectors) = 0;
};

/// `picture` as network input: `[3, height, width] float32`, (pixel − mean) / deviation, in the
/// channel order that `preprocessing` states.
void normalise(const Image& picture, const Preprocessing& preprocessing, float* planes);

}  // namespace seesay::vision
