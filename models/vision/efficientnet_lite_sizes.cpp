// Compound scaling of the base network, and the tensor names that follow from it.
#include "models/vision/efficientnet_lite_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "models/error.hpp"

namespace seesay::vision {
namespace {

struct Stage {
    int repeats, kernel, stride, expansion, input_channels, output_channels;
};

// EfficientNet-B0 (table 1 of the paper).
constexpr Stage base_stages[] = {
    {1, 3, 1, 1, 32, 16},  {2, 3, 2, 6, 16, 24},   {2, 5, 2, 6, 24, 40},   {3, 3, 2, 6, 40, 80},
    {3, 5, 1, 6, 80, 112}, {4, 5, 2, 6, 112, 192}, {1, 3, 1, 6, 192, 320},
};

// To a multiple of eight that is not more than 10 % below.
int scale_channels(int channels, double width) {
    const double scaled = channels * width;
    int rounded = std::max(8, static_cast<int>(scaled + 4) / 8 * 8);
    if (rounded < 0.9 * scaled) rounded += 8;
    return rounded;
}

}  // namespace

EfficientNetLiteSizes efficientnet_lite_sizes(const std::string& architecture) {
    double width = 1.0;
    double depth = 1.0;
    if (architecture == "efficientnet-lite1") {
        depth = 1.1;
    } else if (architecture == "efficientnet-lite2") {
        width = 1.1;
        depth = 1.2;
    } else if (architecture != "efficientnet-lite0") {
        throw Error("architecture \"" + architecture +
                    "\" is not known; encoders are efficientnet-lite0, efficientnet-lite1 and "
                    "efficientnet-lite2");
    }
    EfficientNetLiteSizes sizes;
    sizes.architecture = architecture;
    for (const Stage& stage : base_stages) {
        const bool end_stage =
            &stage == std::begin(base_stages) || &stage == std::end(base_stages) - 1;
        const int repeats =
            end_stage ? stage.repeats : static_cast<int>(std::ceil(depth * stage.repeats));
        MBConvSizes block{scale_channels(stage.input_channels, width),
                          scale_channels(stage.output_channels, width), stage.expansion,
                          stage.kernel, stage.stride};
        for (int i = 0; i < repeats; ++i) {
            sizes.blocks.push_back(block);
            block.input_channels = block.output_channels;
            block.stride = 1;
        }
    }
    return sizes;
}

std::vector<std::pair<std::string, std::vector<std::int64_t>>> efficientnet_lite_tensors(
    const EfficientNetLiteSizes& sizes) {
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> tensors;
    const auto convolution = [&](const std::string& name, const std::string& norm,
                                 std::int64_t output, std::int64_t input, std::int64_t kernel) {
        tensors.push_back({name + ".weight", {output, input, kernel, kernel}});
        for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
            tensors.push_back({norm + "." + part, {output}});
        }
    };
    convolution("_conv_stem", "_bn0", sizes.stem_channels, 3, 3);
    for (std::size_t i = 0; i < sizes.blocks.size(); ++i) {
        const MBConvSizes& block = sizes.blocks[i];
        const std::string name = "_blocks." + std::to_string(i) + ".";
        const int expanded = block.expanded_channels();
        if (block.expansion != 1) {
            convolution(name + "_expand_conv", name + "_bn0", expanded, block.input_channels, 1);
        }
        convolution(name + "_depthwise_conv", name + "_bn1", expanded, 1, block.kernel);
        convolution(name + "_project_conv", name + "_bn2", block.output_channels, expanded, 1);
    }
    convolution("_conv_head", "_bn1", sizes.head_channels, sizes.blocks.back().output_channels, 1);
    return tensors;
}

SamePadding same_padding(int size, int kernel, int stride) {
    const int output = (size + stride - 1) / stride;
    const int total = std::max((output - 1) * stride + kernel - size, 0);
    return {total / 2, total - total / 2};
}

}  // namespace seesay::vision
