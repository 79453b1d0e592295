// Tuning the top of a backbone: the maps below it are cached, the blocks above learn together with
// the captioner.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/training/feature_cache.hpp"
#include "models/training/trainer.hpp"
#include "models/vision/efficientnet_lite.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::training {

/// The maps that block `block` reads, in LibTorch (each picture on its own: the cache must not
/// depend on batches).
class LowerBlocks : public FeatureSource {
 public:
    LowerBlocks(const weights::ModelPackage& encoder, std::size_t block);
    [[nodiscard]] std::string identity() const override { return identity_; }
    [[nodiscard]] int places() const override { return places_; }
    [[nodiscard]] int dimension() const override { return channels_; }
    [[nodiscard]] const vision::Preprocessing& preprocessing() const override {
        return preprocessing_;
    }
    void encode(std::span<const vision::Image> images, float* out) override;
    [[nodiscard]] int rows() const { return rows_; }

 private:
    vision::EfficientNetLite network_{nullptr};
    std::size_t block_;
    vision::Preprocessing preprocessing_;
    std::string identity_;
    int rows_ = 0;
    int places_ = 0;
    int channels_ = 0;
};

/// Blocks from `block` to the head. Their convolutions learn; BatchNorm stays as it is (statistics
/// and scale), since a few pictures a step would spoil it.
class UpperBlocks : public EncoderTop {
 public:
    /// `rows`: of the cached maps.
    UpperBlocks(const weights::ModelPackage& encoder, std::size_t block, int rows,
                const std::string& device);
    at::Tensor forward(const at::Tensor& maps) override;
    std::vector<at::Tensor> parameters() override { return parameters_; }
    [[nodiscard]] int dimension() const override;

    /// The whole encoder's tensors with `values` (in the order of parameters()) in place of the
    /// trained ones; float16, BatchNorm float32.
    [[nodiscard]] std::vector<weights::NamedTensor> encoder_tensors(
        const weights::ModelPackage& encoder, const std::vector<at::Tensor>& values) const;

 private:
    vision::EfficientNetLite network_{nullptr};
    std::size_t block_;
    int rows_;
    std::vector<std::string> names_;
    std::vector<at::Tensor> parameters_;
};

}  // namespace seesay::training
