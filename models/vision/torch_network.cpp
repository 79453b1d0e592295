// LibTorch back-ends: batches of pictures go in as [N, 3, H, W], features come out as [N, rows ·
// columns, D].
#include "models/vision/torch_network.hpp"

#include <torch/script.h>
#include <torch/torch.h>

#include <locale>
#include <sstream>

#include "models/vision/efficientnet_lite.hpp"

namespace seesay::vision {
namespace {

// Pictures go through in chunks of this many, which bounds memory.
constexpr std::size_t largest_batch = 16;

class TorchNetwork : public FeatureNetwork {
 public:
    TorchNetwork(const Preprocessing& preprocessing, at::Device device)
        : preprocessing_(preprocessing), device_(device) {}

    void forward(std::span<const Image> pictures, float* vectors) override {
        const c10::InferenceMode inference;
        while (!pictures.empty()) {
            const auto batch = pictures.first(std::min(largest_batch, pictures.size()));
            const at::Tensor features = features_of(to_input(batch)).permute({0, 2, 3, 1});
            const at::Tensor result = features.to(at::kCPU).contiguous();
            std::copy_n(result.data_ptr<float>(), result.numel(), vectors);
            vectors += result.numel();
            pictures = pictures.subspan(batch.size());
        }
    }

    [[nodiscard]] std::string where() const {
        return device_.is_cuda() ? device_.str() + " fp32" : "fp32";
    }

 protected:
    // `[N, 3, H, W]` → `[N, D, rows, columns]` on the device.
    virtual at::Tensor features_of(const at::Tensor& input) = 0;

 private:
    at::Tensor to_input(std::span<const Image> batch) const {
        const at::Tensor input = at::empty({static_cast<std::int64_t>(batch.size()), 3,
                                            preprocessing_.height, preprocessing_.width});
        for (std::size_t i = 0; i < batch.size(); ++i) {
            normalise(batch[i], preprocessing_,
                      input[static_cast<std::int64_t>(i)].data_ptr<float>());
        }
        return input.to(device_);
    }

    Preprocessing preprocessing_;
    at::Device device_;
};

// An odd rest of SAME padding goes behind. The same convolution with a zero row and column before
// the kernel pads evenly, which needs no padded copy of the input.
struct EvenPadding {
    at::Tensor weight;
    int rows = 0;
    int columns = 0;
};

EvenPadding pad_evenly(const FoldedConvolution& layer) {
    const int more_rows = layer.rows.after - layer.rows.before;
    const int more_columns = layer.columns.after - layer.columns.before;
    return {at::constant_pad_nd(layer.weight, {more_columns, 0, more_rows, 0}), layer.rows.after,
            layer.columns.after};
}

torch::jit::Module make_script(const FoldedNetwork& network, at::Device device) {
    torch::jit::Module module("FoldedNetwork");
    std::ostringstream source;
    source.imbue(std::locale::classic());
    source << "def forward(self, x0):\n";
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const FoldedConvolution& layer = network.layers[i];
        const EvenPadding even = pad_evenly(layer);
        const std::string number = std::to_string(i);
        module.register_parameter(std::string("weight").append(number),
                                  even.weight.to(device).contiguous(), false);
        module.register_parameter(std::string("bias").append(number), layer.bias.to(device), false);
        const std::string output = std::string(1, 'x').append(std::to_string(i + 1));
        source << "    " << output << " = torch.conv2d(x" << i << ", self.weight" << i
               << ", self.bias" << i << ", [" << layer.stride << ", " << layer.stride << "], ["
               << even.rows << ", " << even.columns << "], [1, 1], " << layer.groups << ")\n";
        if (layer.added_layer >= 0) {
            source << "    " << output << " = " << output << " + x" << layer.added_layer + 1
                   << "\n";
        }
        if (layer.clips)
            source << "    " << output << " = torch.hardtanh(" << output << ", 0., 6.)\n";
    }
    source << "    return x" << network.layers.size() << "\n";
    module.define(source.str());
    module.eval();
    torch::jit::Module frozen = torch::jit::freeze(module);
    return device.is_cpu() ? torch::jit::optimize_for_inference(frozen) : frozen;
}

class ScriptNetwork : public TorchNetwork {
 public:
    ScriptNetwork(const FoldedNetwork& network, const Preprocessing& preprocessing,
                  at::Device device)
        : TorchNetwork(preprocessing, device), module_(make_script(network, device)) {}
    [[nodiscard]] std::string path() const override { return "torchscript " + where(); }

 protected:
    at::Tensor features_of(const at::Tensor& input) override {
        return module_.forward({input}).toTensor();
    }

 private:
    torch::jit::Module module_;
};

class EagerNetwork : public TorchNetwork {
 public:
    EagerNetwork(const EfficientNetLiteSizes& sizes, const weights::Safetensors& tensors,
                 const Preprocessing& preprocessing, at::Device device)
        : TorchNetwork(preprocessing, device), module_(sizes) {
        module_->load(tensors);
        module_->to(device);
        module_->eval();
    }
    [[nodiscard]] std::string path() const override { return "eager " + where(); }

 protected:
    at::Tensor features_of(const at::Tensor& input) override {
        return module_->forward_features(input);
    }

 private:
    EfficientNetLite module_;
};

}  // namespace

std::unique_ptr<FeatureNetwork> make_script_network(const FoldedNetwork& network,
                                                    const Preprocessing& preprocessing,
                                                    at::Device device) {
    return std::make_unique<ScriptNetwork>(network, preprocessing, device);
}

std::unique_ptr<FeatureNetwork> make_eager_network(const EfficientNetLiteSizes& sizes,
                                                   const weights::Safetensors& tensors,
                                                   const Preprocessing& preprocessing,
                                                   at::Device device) {
    return std::make_unique<EagerNetwork>(sizes, tensors, preprocessing, device);
}

}  // namespace seesay::vision
