// EfficientNet-Lite for inference: BatchNorm folded into the convolutions, paddings fixed for one
// input size. What the fast paths are built from.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "models/vision/efficientnet_lite_sizes.hpp"
#include "models/weights/safetensors.hpp"

namespace seesay::vision {

/// y = clip(conv(pad(x)) + bias [+ output of an earlier layer]).
struct FoldedConvolution {
    std::string name;   ///< of the convolution in the checkpoint
    at::Tensor weight;  ///< `[output, input / groups, kernel, kernel] float32`, BatchNorm folded in
    at::Tensor bias;    ///< `[output] float32`
    int input_channels = 0;
    int output_channels = 0;
    int kernel = 1;
    int stride = 1;
    int groups = 1;  ///< 1, or the number of channels (depthwise)
    int input_height = 0;
    int input_width = 0;
    int output_height = 0;
    int output_width = 0;
    SamePadding rows;
    SamePadding columns;
    bool clips = false;    ///< ReLU6 at the end
    int added_layer = -1;  ///< index of the layer whose output is added; -1: none
};

/// Layers in order; each reads the output of the one before, the first the picture `[3, height,
/// width]`.
struct FoldedNetwork {
    int height = 0;
    int width = 0;
    std::vector<FoldedConvolution> layers;

    [[nodiscard]] int rows() const { return layers.back().output_height; }
    [[nodiscard]] int columns() const { return layers.back().output_width; }
    [[nodiscard]] int dimension() const { return layers.back().output_channels; }
};

/// Folds the weights for inputs of `height` × `width`. Throws Error as EfficientNetLiteImpl::load
/// does.
FoldedNetwork fold(const EfficientNetLiteSizes& sizes, const weights::Safetensors& tensors,
                   int height, int width);

}  // namespace seesay::vision
