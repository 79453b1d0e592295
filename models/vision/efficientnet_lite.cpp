// The module's construction and forward pass, in the order of the paper's table.
#include "models/vision/efficientnet_lite.hpp"

#include <torch/torch.h>

#include "models/error.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::vision {
namespace {

namespace nn = torch::nn;

nn::Conv2d convolution(int input, int output, int kernel, int stride, int groups = 1) {
    return nn::Conv2d(
        nn::Conv2dOptions(input, output, kernel).stride(stride).groups(groups).bias(false));
}

// TensorFlow's momentum of 0.99 is 0.01 in PyTorch's sense.
nn::BatchNorm2d batch_norm(int channels) {
    return nn::BatchNorm2d(
        nn::BatchNorm2dOptions(channels).eps(efficientnet_lite_epsilon).momentum(0.01));
}

at::Tensor pad_and_convolve(nn::Conv2d& conv, const at::Tensor& input, int kernel, int stride) {
    const SamePadding rows = same_padding(static_cast<int>(input.size(2)), kernel, stride);
    const SamePadding columns = same_padding(static_cast<int>(input.size(3)), kernel, stride);
    return conv->forward(
        at::constant_pad_nd(input, {columns.before, columns.after, rows.before, rows.after}));
}

}  // namespace

MBConvImpl::MBConvImpl(const MBConvSizes& sizes) : sizes_(sizes) {
    const int expanded = sizes.expanded_channels();
    if (sizes.expansion != 1) {
        expand_conv_ =
            register_module("_expand_conv", convolution(sizes.input_channels, expanded, 1, 1));
        bn0_ = register_module("_bn0", batch_norm(expanded));
    }
    depthwise_conv_ = register_module(
        "_depthwise_conv", convolution(expanded, expanded, sizes.kernel, sizes.stride, expanded));
    bn1_ = register_module("_bn1", batch_norm(expanded));
    project_conv_ =
        register_module("_project_conv", convolution(expanded, sizes.output_channels, 1, 1));
    bn2_ = register_module("_bn2", batch_norm(sizes.output_channels));
}

at::Tensor MBConvImpl::forward(const at::Tensor& input) {
    at::Tensor x = input;
    if (!expand_conv_.is_empty()) x = at::hardtanh(bn0_->forward(expand_conv_->forward(x)), 0, 6);
    x = pad_and_convolve(depthwise_conv_, x, sizes_.kernel, sizes_.stride);
    x = at::hardtanh(bn1_->forward(x), 0, 6);
    x = bn2_->forward(project_conv_->forward(x));
    return sizes_.adds_input() ? x + input : x;
}

EfficientNetLiteImpl::EfficientNetLiteImpl(const EfficientNetLiteSizes& sizes) : sizes_(sizes) {
    conv_stem_ = register_module("_conv_stem", convolution(3, sizes.stem_channels, 3, 2));
    bn0_ = register_module("_bn0", batch_norm(sizes.stem_channels));
    blocks_ = register_module("_blocks", nn::ModuleList());
    for (const MBConvSizes& block : sizes.blocks)
        blocks_->push_back(MBConv(block));
    conv_head_ = register_module(
        "_conv_head", convolution(sizes.blocks.back().output_channels, sizes.head_channels, 1, 1));
    bn1_ = register_module("_bn1", batch_norm(sizes.head_channels));
}

at::Tensor EfficientNetLiteImpl::forward_until(const at::Tensor& input, int block) {
    at::Tensor x = pad_and_convolve(conv_stem_, input, 3, 2);
    x = at::hardtanh(bn0_->forward(x), 0, 6);
    for (int i = 0; i < block; ++i)
        x = blocks_[i]->as<MBConv>()->forward(x);
    return x;
}

at::Tensor EfficientNetLiteImpl::forward_from(const at::Tensor& activations, int block) {
    at::Tensor x = activations;
    const int blocks = static_cast<int>(blocks_->size());
    for (int i = block; i < blocks; ++i)
        x = blocks_[i]->as<MBConv>()->forward(x);
    return at::hardtanh(bn1_->forward(conv_head_->forward(x)), 0, 6);
}

at::Tensor EfficientNetLiteImpl::forward_features(const at::Tensor& input) {
    return forward_from(forward_until(input, 0), 0);
}

void EfficientNetLiteImpl::load(const weights::Safetensors& tensors) {
    const torch::NoGradGuard no_gradient;
    auto parameters = named_parameters();
    auto buffers = named_buffers();
    for (const auto& [name, shape] : efficientnet_lite_tensors(sizes_)) {
        at::Tensor* target = parameters.find(name);
        if (target == nullptr) target = buffers.find(name);
        if (target == nullptr) throw Error("network without a tensor \"" + name + "\"");
        target->copy_(checked_tensor(tensors, name, shape));
    }
}

at::Tensor checked_tensor(const weights::Safetensors& tensors, const std::string& name,
                          const std::vector<std::int64_t>& shape) {
    const weights::NamedTensor& stored = tensors.at(name);
    if (stored.shape != shape) {
        throw Error(tensors.origin() + ": tensor \"" + name +
                    "\" has not the shape of this architecture");
    }
    at::Tensor tensor = weights::to_tensor(stored, at::kFloat);
    if (!at::isfinite(tensor).all().item<bool>()) {
        throw Error(
            tensors.origin() + ": tensor \"" + name +
            "\" holds values that are not finite (NaN or infinity); the weights are damaged");
    }
    return tensor;
}

}  // namespace seesay::vision
