// Folding in double precision: w' = w · γ / √(σ² + ε), b' = β − μ · γ / √(σ² + ε).
#include "models/vision/folded_network.hpp"

#include <torch/torch.h>

#include "models/error.hpp"
#include "models/vision/efficientnet_lite.hpp"

namespace seesay::vision {
namespace {

class Folder {
 public:
    Folder(const weights::Safetensors& tensors, FoldedNetwork& network)
        : tensors_(tensors), network_(network) {}

    void add(const std::string& name, const std::string& norm, int output_channels, int kernel,
             int stride, bool depthwise, bool clips, int added_layer) {
        FoldedConvolution layer;
        layer.name = name;
        layer.kernel = kernel;
        layer.stride = stride;
        layer.clips = clips;
        layer.added_layer = added_layer;
        layer.output_channels = output_channels;
        const bool first = network_.layers.empty();
        layer.input_channels = first ? 3 : network_.layers.back().output_channels;
        layer.input_height = first ? network_.height : network_.layers.back().output_height;
        layer.input_width = first ? network_.width : network_.layers.back().output_width;
        layer.groups = depthwise ? layer.input_channels : 1;
        layer.rows = same_padding(layer.input_height, kernel, stride);
        layer.columns = same_padding(layer.input_width, kernel, stride);
        layer.output_height = (layer.input_height + stride - 1) / stride;
        layer.output_width = (layer.input_width + stride - 1) / stride;
        fold_weights(layer, norm);
        network_.layers.push_back(std::move(layer));
    }

 private:
    at::Tensor tensor(const std::string& name, const std::vector<std::int64_t>& shape) const {
        return checked_tensor(tensors_, name, shape).to(at::kDouble);
    }

    void fold_weights(FoldedConvolution& layer, const std::string& norm) const {
        const std::int64_t output = layer.output_channels;
        const at::Tensor variance = tensor(norm + ".running_var", {output});
        if ((variance < 0).any().item<bool>()) {
            throw Error(tensors_.origin() + ": tensor \"" + norm +
                        ".running_var\" holds negative variances");
        }
        const at::Tensor scale =
            tensor(norm + ".weight", {output}) / at::sqrt(variance + efficientnet_lite_epsilon);
        const at::Tensor weight =
            tensor(layer.name + ".weight",
                   {output, layer.input_channels / layer.groups, layer.kernel, layer.kernel});
        layer.weight = (weight * scale.reshape({-1, 1, 1, 1})).to(at::kFloat).contiguous();
        layer.bias =
            (tensor(norm + ".bias", {output}) - tensor(norm + ".running_mean", {output}) * scale)
                .to(at::kFloat)
                .contiguous();
    }

    const weights::Safetensors& tensors_;
    FoldedNetwork& network_;
};

}  // namespace

FoldedNetwork fold(const EfficientNetLiteSizes& sizes, const weights::Safetensors& tensors,
                   int height, int width) {
    FoldedNetwork network{height, width, {}};
    Folder folder(tensors, network);
    folder.add("_conv_stem", "_bn0", sizes.stem_channels, 3, 2, false, true, -1);
    for (std::size_t i = 0; i < sizes.blocks.size(); ++i) {
        const MBConvSizes& block = sizes.blocks[i];
        const std::string name = "_blocks." + std::to_string(i) + ".";
        const int block_input = static_cast<int>(network.layers.size()) - 1;
        if (block.expansion != 1) {
            folder.add(name + "_expand_conv", name + "_bn0", block.expanded_channels(), 1, 1, false,
                       true, -1);
        }
        folder.add(name + "_depthwise_conv", name + "_bn1", block.expanded_channels(), block.kernel,
                   block.stride, true, true, -1);
        folder.add(name + "_project_conv", name + "_bn2", block.output_channels, 1, 1, false, false,
                   block.adds_input() ? block_input : -1);
    }
    folder.add("_conv_head", "_bn1", sizes.head_channels, 1, 1, false, true, -1);
    return network;
}

}  // namespace seesay::vision
