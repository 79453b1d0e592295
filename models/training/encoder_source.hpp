// A whole frozen encoder as the source of cached features; and cached values as FeatureSets and
// package tensors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/training/feature_cache.hpp"
#include "models/training/trainer.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::training {

/// The encoder as inference runs it, in float32.
class EncoderSource : public FeatureSource {
 public:
    EncoderSource(const weights::ModelPackage& encoder, const std::string& device, int threads);
    [[nodiscard]] std::string identity() const override { return identity_; }
    [[nodiscard]] int places() const override;
    [[nodiscard]] int dimension() const override;
    [[nodiscard]] const vision::Preprocessing& preprocessing() const override;
    void encode(std::span<const vision::Image> images, float* out) override;

 private:
    std::unique_ptr<vision::GridEncoder> encoder_;
    std::string identity_;
    std::vector<vision::FeatureSet> features_;
};

/// One cached view as a FeatureSet; with `top`, through the tuned blocks with `values` as their
/// weights.
vision::FeatureSet to_feature_set(const FeatureCache& cache, ViewOfPicture wanted, EncoderTop* top,
                                  const std::vector<at::Tensor>& values);

/// The tensor rounded to float16. Throws Error where a value does not fit.
weights::NamedTensor to_half(const weights::NamedTensor& tensor);

}  // namespace seesay::training
