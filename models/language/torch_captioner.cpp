// Vectors in, logits out; states are gathered as hypotheses live and die.
#include "models/language/torch_captioner.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace seesay::language {
namespace {

at::Tensor indices(std::span<const int> values) {
    return torch::tensor(std::vector<std::int64_t>(values.begin(), values.end()), at::kLong);
}

// `[R, width]` into rows of `stride` floats, zero beyond.
void copy_rows(const at::Tensor& from, int stride, AlignedFloats& to) {
    const at::Tensor rows = from.contiguous();
    const auto count = static_cast<int>(rows.size(0));
    const auto width = static_cast<std::ptrdiff_t>(rows.size(1));
    to.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(stride));
    for (int row = 0; row < count; ++row) {
        std::copy_n(rows.data_ptr<float>() + row * width, width, to.row(row, stride));
    }
}

}  // namespace

class TorchCaptioner::Pictures final : public PreparedPictures {
 public:
    explicit Pictures(std::vector<int> attended) : PreparedPictures(std::move(attended)) {}
    CaptionNetwork::Tensors tensors;
};

class TorchCaptioner::State final : public DecoderState {
 public:
    std::vector<int> pictures;
    CaptionNetwork::Tensors rows;  // of the pictures, one a hypothesis
    CaptionNetwork::Tensors state;
};

TorchCaptioner::TorchCaptioner(CaptionerIdentity identity, Vocabulary vocabulary,
                               DecodingOptions decoding_defaults,
                               std::shared_ptr<CaptionNetwork> network)
    : Captioner(std::move(identity), std::move(vocabulary), decoding_defaults,
                static_cast<int>(network->features())),
      network_(std::move(network)) {
    this->vocabulary().require_size(network_->vocabulary());
    network_->eval();
}

std::unique_ptr<PreparedPictures> TorchCaptioner::prepare(
    std::span<const vision::FeatureSet* const> features) const {
    if (features.empty()) {
        throw Error("captioner " + identity().name + ": there are no features to describe");
    }
    std::vector<int> attended;
    for (const vision::FeatureSet* set : features) {
        check(*set);
        attended.push_back(set->count);
    }
    const auto count = static_cast<std::int64_t>(attended.size());
    auto prepared = std::make_unique<Pictures>(std::move(attended));
    const std::int64_t longest = prepared->longest();
    const c10::InferenceMode inference;
    PictureVectors pictures;
    pictures.vectors = at::zeros({count, longest, feature_dimension()}, at::kFloat);
    const at::Tensor present = at::zeros({count, longest}, at::kBool);
    for (std::int64_t i = 0; i < count; ++i) {
        const vision::FeatureSet& set = *features[static_cast<std::size_t>(i)];
        std::copy(set.vectors.begin(), set.vectors.end(), pictures.vectors[i].data_ptr<float>());
        present[i].narrow(0, 0, set.count).fill_(true);
        if (set.count < longest) {
            pictures.present = present;
        }
    }
    prepared->tensors = network_->prepare(pictures);
    return prepared;
}

std::unique_ptr<DecoderState> TorchCaptioner::start(const PreparedPictures& prepared,
                                                    std::span<const int> pictures) const {
    const auto& all = dynamic_cast<const Pictures&>(prepared);
    const c10::InferenceMode inference;
    auto state = std::make_unique<State>();
    state->pictures.assign(pictures.begin(), pictures.end());
    const at::Tensor which = indices(pictures);
    for (const at::Tensor& tensor : all.tensors) {
        state->rows.push_back(tensor.index_select(0, which));
    }
    state->state = network_->start(state->rows);
    return state;
}

void TorchCaptioner::select(DecoderState& state, std::span<const int> rows) const {
    auto& own = dynamic_cast<State&>(state);
    const c10::InferenceMode inference;
    const at::Tensor which = indices(rows);
    std::vector<int> pictures;
    for (const int row : rows) {
        pictures.push_back(own.pictures[static_cast<std::size_t>(row)]);
    }
    for (at::Tensor& tensor : own.state) {
        tensor = tensor.index_select(0, which);
    }
    if (pictures != own.pictures) {
        for (at::Tensor& tensor : own.rows) {
            tensor = tensor.index_select(0, which);
        }
        own.pictures = std::move(pictures);
    }
}

void TorchCaptioner::step(const PreparedPictures& prepared, DecoderState& state,
                          std::span<const int> tokens, StepOutput& output) const {
    auto& own = dynamic_cast<State&>(state);
    const c10::InferenceMode inference;
    const NetworkStep result = network_->step(own.rows, own.state, indices(tokens));
    output.logits_stride = padded(vocabulary().size());
    copy_rows(result.logits, output.logits_stride, output.logits);
    output.attention_stride = 0;
    if (result.attention.defined()) {
        output.attention_stride = padded(prepared.longest());
        copy_rows(result.attention, output.attention_stride, output.attention);
    }
}

}  // namespace seesay::language
