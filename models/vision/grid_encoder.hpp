// GridEncoder: an encoder package ready to turn pictures into grid features, by the fastest path
// that is exact here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "models/vision/feature_network.hpp"
#include "models/vision/feature_set.hpp"
#include "models/vision/image.hpp"
#include "models/vision/preprocessing.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::vision {

/// How to compute. Everything is decided once, at load.
struct GridEncoderOptions {
    std::string device = "auto";  ///< auto | cpu | cuda | cuda:N
    int threads = 1;              ///< CPU threads; 0: one a core
    std::string precision =
        "auto";  ///< auto (bf16 where it runs and the probe pictures agree) | fp32 | bf16
    std::string path =
        "auto";  ///< auto (oneDNN on a CPU, else TorchScript) | onednn | torchscript | eager
};

/// One call at a time; the calling thread computes. Use it on one long-lived thread: each thread
/// that calls brings up an OpenMP team of its own where `threads` is above 1.
class GridEncoder {
 public:
    /// Builds the network from an encoder package. Throws Error for a captioner package, an unknown
    /// architecture or padding, wrong or non-finite weights, features that are not as `model.json`
    /// says, and options that cannot be met here.
    static std::unique_ptr<GridEncoder> load(const weights::ModelPackage& package,
                                             const GridEncoderOptions& options);

    /// Encodes pictures made by `preprocess` with `preprocessing()`. Fills in vectors, grid,
    /// encoder and inference time (of the call, shared out evenly); leaves `frame` and
    /// `geometry.picture_box` as they are. Throws Error for a picture of another size.
    void encode(std::span<const Image> pictures, std::span<FeatureSet> features);

    /// The vectors only: `[pictures.size(), rows · columns, dimension] float32`, row-major.
    void encode(std::span<const Image> pictures, float* vectors);

    /// "onednn fp32", "onednn bf16", "torchscript fp32", "torchscript cuda:0 fp32", "eager fp32".
    [[nodiscard]] std::string path() const { return network_->path(); }
    /// Lowest cosine of bf16 and fp32 pooled features over the probe pictures; 1 where bf16 was not
    /// tried.
    [[nodiscard]] double bf16_agreement() const { return bf16_agreement_; }
    [[nodiscard]] const Preprocessing& preprocessing() const { return preprocessing_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& sha256() const { return sha256_; }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] int dimension() const { return dimension_; }
    [[nodiscard]] int threads() const { return threads_; }

 private:
    GridEncoder() = default;

    std::unique_ptr<FeatureNetwork> network_;
    Preprocessing preprocessing_;
    std::string name_;
    std::string sha256_;
    int rows_ = 0;
    int columns_ = 0;
    int dimension_ = 0;
    int threads_ = 1;
    double bf16_agreement_ = 1.0;
};

}  // namespace seesay::vision
