// The sizes of EfficientNet-Lite 0–2 (Tan & Le 2019, the Lite variant of 2020): no LibTorch, so
// that importers and tests can use them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace seesay::vision {

/// One MBConv block: 1×1 expansion (absent where `expansion` is 1), depthwise k×k, 1×1 projection;
/// its input is added where stride is 1 and the channels stay.
struct MBConvSizes {
    int input_channels = 0;
    int output_channels = 0;
    int expansion = 6;
    int kernel = 3;
    int stride = 1;

    [[nodiscard]] int expanded_channels() const { return input_channels * expansion; }
    [[nodiscard]] bool adds_input() const {
        return stride == 1 && input_channels == output_channels;
    }
};

/// 3×3 stride-2 stem, blocks, 1×1 head. Stem and head are not scaled with the width in the Lite
/// variant.
struct EfficientNetLiteSizes {
    std::string architecture;
    int stem_channels = 32;
    std::vector<MBConvSizes> blocks;
    int head_channels = 1280;
};

/// BatchNorm's ε. The value is part of the weights: PyTorch's default of 1e-5 changes the features
/// by 40 %.
inline constexpr double efficientnet_lite_epsilon = 1e-3;

/// Sizes of "efficientnet-lite0", "efficientnet-lite1" or "efficientnet-lite2". Throws Error for
/// another name.
EfficientNetLiteSizes efficientnet_lite_sizes(const std::string& architecture);

/// Name and shape of every tensor that the features need (no classifier, no `num_batches_tracked`),
/// named as in the public checkpoints: `_conv_stem.weight`, `_bn0.running_var`,
/// `_blocks.N._expand_conv.weight` …
std::vector<std::pair<std::string, std::vector<std::int64_t>>> efficientnet_lite_tensors(
    const EfficientNetLiteSizes& sizes);

/// Zero padding before and after one axis.
struct SamePadding {
    int before = 0;
    int after = 0;
};

/// TensorFlow's SAME padding of an axis of `size` samples: the output has ceil(size / stride); an
/// odd rest goes behind.
SamePadding same_padding(int size, int kernel, int stride);

}  // namespace seesay::vision
