// LowerBlocks and UpperBlocks over EfficientNet-Lite.
#include "models/training/tuned_encoder.hpp"

#include <torch/torch.h>

#include <cstring>
#include <map>

#include "models/error.hpp"
#include "models/tensor/device.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::training {
namespace {

vision::EfficientNetLite load_network(const weights::ModelPackage& encoder, std::size_t block) {
    const auto sizes = vision::efficientnet_lite_sizes(encoder.architecture());
    if (block >= sizes.blocks.size()) {
        throw Error("cannot train from block " + std::to_string(block) + ": " +
                    encoder.architecture() + " has blocks 0 to " +
                    std::to_string(sizes.blocks.size() - 1));
    }
    vision::EfficientNetLite network(sizes);
    network->load(encoder.tensors());
    network->eval();
    return network;
}

// [3, H, W] float32, normalised as the package says.
at::Tensor input_of(const vision::Image& image, const vision::Preprocessing& preprocessing) {
    at::Tensor pixels = torch::from_blob(const_cast<std::uint8_t*>(image.pixels.data()),
                                         {image.height, image.width, 3}, torch::kUInt8)
                            .to(torch::kFloat);
    pixels = (pixels - torch::tensor(at::ArrayRef<float>(preprocessing.mean))) /
             torch::tensor(at::ArrayRef<float>(preprocessing.deviation));
    return pixels.permute({2, 0, 1}).contiguous();
}

bool is_batch_norm(const std::string& name) {
    return name.find("_bn") != std::string::npos;
}

}  // namespace

LowerBlocks::LowerBlocks(const weights::ModelPackage& encoder, std::size_t block)
    : network_(load_network(encoder, block)),
      block_(block),
      preprocessing_(vision::parse_preprocessing(encoder.manifest().at("preprocessing"),
                                                 encoder.folder().string() + "/model.json")),
      identity_(encoder.sha256() + " before block " + std::to_string(block)) {
    const torch::NoGradGuard no_gradient;
    const at::Tensor maps = network_->forward_until(
        torch::zeros({1, 3, preprocessing_.height, preprocessing_.width}), block);
    channels_ = static_cast<int>(maps.size(1));
    rows_ = static_cast<int>(maps.size(2));
    places_ = static_cast<int>(maps.size(2) * maps.size(3));
}

void LowerBlocks::encode(std::span<const vision::Image> images, float* out) {
    const torch::NoGradGuard no_gradient;
    const std::size_t numbers = static_cast<std::size_t>(places_) * channels_;
    for (const auto& image : images) {
        const at::Tensor maps = network_->forward_until(
            input_of(image, preprocessing_).unsqueeze(0), static_cast<int>(block_));
        const at::Tensor rows = maps.flatten(2).transpose(1, 2).contiguous();
        std::memcpy(out, rows.data_ptr<float>(), numbers * sizeof(float));
        out += numbers;
    }
}

UpperBlocks::UpperBlocks(const weights::ModelPackage& encoder, std::size_t block, int rows,
                         const std::string& device)
    : network_(load_network(encoder, block)), block_(block), rows_(rows) {
    network_->to(tensor::parse_device(device));
    for (const auto& item : network_->named_parameters()) {
        const std::string& name = item.key();
        bool above = name.rfind("_conv_head", 0) == 0;
        if (name.rfind("_blocks.", 0) == 0) {
            above = std::stoul(name.substr(8)) >= block;
        }
        const bool trained = above && !is_batch_norm(name);
        at::Tensor parameter = item.value();
        parameter.requires_grad_(trained);
        if (trained) {
            names_.push_back(name);
            parameters_.push_back(parameter);
        }
    }
}

at::Tensor UpperBlocks::forward(const at::Tensor& maps) {
    const at::Tensor planes =
        maps.transpose(1, 2)
            .reshape({maps.size(0), maps.size(2), rows_, maps.size(1) / rows_})
            .contiguous();
    return network_->forward_from(planes, block_).flatten(2).transpose(1, 2);
}

int UpperBlocks::dimension() const {
    return network_->sizes().head_channels;
}

std::vector<weights::NamedTensor> UpperBlocks::encoder_tensors(
    const weights::ModelPackage& encoder, const std::vector<at::Tensor>& values) const {
    std::map<std::string, at::Tensor> trained;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        trained[names_[i]] = values[i];
    }
    std::vector<weights::NamedTensor> tensors;
    for (const auto& [name, stored] : encoder.tensors().tensors()) {
        const auto found = trained.find(name);
        tensors.push_back(
            found == trained.end()
                ? stored
                : weights::from_tensor(name, found->second.detach(), weights::DataType::F16));
    }
    return tensors;
}

}  // namespace seesay::training
