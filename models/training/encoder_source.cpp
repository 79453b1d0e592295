// EncoderSource and the small conversions beside it.
#include "models/training/encoder_source.hpp"

#include <torch/torch.h>

#include <cmath>
#include <cstring>

#include "models/weights/torch_tensor.hpp"

namespace seesay::training {

EncoderSource::EncoderSource(const weights::ModelPackage& encoder, const std::string& device,
                             int threads)
    : identity_(encoder.sha256()) {
    vision::GridEncoderOptions options;
    options.device = device;
    options.threads = threads;
    options.precision = "fp32";
    encoder_ = vision::GridEncoder::load(encoder, options);
}

int EncoderSource::places() const {
    return encoder_->rows() * encoder_->columns();
}
int EncoderSource::dimension() const {
    return encoder_->dimension();
}
const vision::Preprocessing& EncoderSource::preprocessing() const {
    return encoder_->preprocessing();
}
void EncoderSource::encode(std::span<const vision::Image> images, float* out) {
    encoder_->encode(images, out);
}

vision::FeatureSet to_feature_set(const FeatureCache& cache, ViewOfPicture wanted, EncoderTop* top,
                                  const std::vector<at::Tensor>& values) {
    const torch::NoGradGuard no_gradient;
    at::Tensor vectors = cache.batch(std::span(&wanted, 1));
    if (top != nullptr) {
        // The kept weights stand in for the training ones while the blocks run.
        auto parameters = top->parameters();
        std::vector<at::Tensor> before;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            before.push_back(parameters[i].detach().clone());
            parameters[i].copy_(values[i]);
        }
        vectors = top->forward(vectors.to(parameters.front().device())).to(at::kCPU);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            parameters[i].copy_(before[i]);
        }
    }
    vectors = vectors.squeeze(0).contiguous();
    vision::FeatureSet features;
    features.count = static_cast<int>(vectors.size(0));
    features.dimension = static_cast<int>(vectors.size(1));
    const auto* data = vectors.data_ptr<float>();
    features.vectors.assign(data, data + vectors.numel());
    features.geometry.rows = static_cast<int>(std::lround(std::sqrt(features.count)));
    features.geometry.columns = features.count / features.geometry.rows;
    return features;
}

weights::NamedTensor to_half(const weights::NamedTensor& tensor) {
    return weights::from_tensor(tensor.name, weights::to_tensor(tensor, torch::kFloat),
                                weights::DataType::F16);
}

}  // namespace seesay::training
