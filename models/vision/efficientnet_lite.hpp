// EfficientNet-Lite as a LibTorch module: the reference for the fast paths, and the backbone that
// training fine-tunes.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>

#include "models/vision/efficientnet_lite_sizes.hpp"
#include "models/weights/safetensors.hpp"

namespace seesay::vision {

/// A mobile inverted bottleneck without squeeze-and-excitation (Sandler et al. 2018).
class MBConvImpl : public torch::nn::Module {
 public:
    explicit MBConvImpl(const MBConvSizes& sizes);
    /// `[N, input, H, W]` → `[N, output, ceil(H / stride), ceil(W / stride)]`.
    at::Tensor forward(const at::Tensor& input);

 private:
    MBConvSizes sizes_;
    torch::nn::Conv2d expand_conv_{nullptr};
    torch::nn::BatchNorm2d bn0_{nullptr};
    torch::nn::Conv2d depthwise_conv_{nullptr};
    torch::nn::BatchNorm2d bn1_{nullptr};
    torch::nn::Conv2d project_conv_{nullptr};
    torch::nn::BatchNorm2d bn2_{nullptr};
};
TORCH_MODULE(MBConv);

/// The network without classifier. Parameters are named as in the public checkpoints. Convolutions
/// pad as TensorFlow's SAME does for the size that they get, so any input size works. Stochastic
/// depth is not part of it: fine-tuning keeps BatchNorm in evaluation mode or not as the caller
/// sets `train()`.
class EfficientNetLiteImpl : public torch::nn::Module {
 public:
    explicit EfficientNetLiteImpl(const EfficientNetLiteSizes& sizes);

    /// `input` `[N, 3, H, W] float32`, (RGB − mean) / deviation → `[N, 1280, ceil(H / 32), ceil(W /
    /// 32)] float32` in 0…6, after the head's ReLU6.
    at::Tensor forward_features(const at::Tensor& input);

    /// The lower part, up to and without block `block` (0…number of blocks), and the rest: for
    /// training that caches what the frozen part gives. `forward_from(forward_until(x, b), b)`
    /// equals `forward_features(x)`.
    at::Tensor forward_until(const at::Tensor& input, int block);
    at::Tensor forward_from(const at::Tensor& activations, int block);

    /// Copies the weights from `tensors` (any floating type). Throws Error naming the file for a
    /// tensor that is missing, has another shape or holds NaN or infinity. Further tensors (the
    /// classifier) are ignored.
    void load(const weights::Safetensors& tensors);
    using torch::nn::Module::load;

    [[nodiscard]] const EfficientNetLiteSizes& sizes() const { return sizes_; }

 private:
    EfficientNetLiteSizes sizes_;
    torch::nn::Conv2d conv_stem_{nullptr};
    torch::nn::BatchNorm2d bn0_{nullptr};
    torch::nn::ModuleList blocks_{nullptr};
    torch::nn::Conv2d conv_head_{nullptr};
    torch::nn::BatchNorm2d bn1_{nullptr};
};
TORCH_MODULE(EfficientNetLite);

/// The tensor `name` as float32, checked: shape `shape`, all values finite. Throws Error naming the
/// file.
at::Tensor checked_tensor(const weights::Safetensors& tensors, const std::string& name,
                          const std::vector<std::int64_t>& shape);

}  // namespace seesay::vision
