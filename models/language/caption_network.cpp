// Teacher forcing step by step, and what attention networks share.
#include "models/language/caption_network.hpp"

#include <torch/torch.h>

#include <limits>

namespace seesay::language {

CaptionNetwork::CaptionNetwork(const NetworkDropout& dropout, std::int64_t unknown_token)
    : dropout_(dropout), unknown_token_(unknown_token) {
}

at::Tensor CaptionNetwork::drop(const at::Tensor& value, double probability) const {
    return is_training() && probability > 0 ? at::dropout(value, probability, true) : value;
}

at::Tensor CaptionNetwork::hide_words(const at::Tensor& inputs) const {
    if (!is_training() || dropout_.words <= 0) {
        return inputs;
    }
    const at::Tensor hidden = at::rand(inputs.sizes(), inputs.device()) < dropout_.words;
    return inputs.masked_fill(hidden, unknown_token_);
}

TeacherForcing CaptionNetwork::forward(const PictureVectors& pictures,
                                       const PackedCaptions& captions,
                                       const ForcingOptions& options) {
    return forward_stepwise(pictures, captions, options);
}

TeacherForcing CaptionNetwork::forward_stepwise(const PictureVectors& pictures,
                                                const PackedCaptions& captions,
                                                const ForcingOptions& options) {
    Tensors rows;
    for (const at::Tensor& prepared : prepare(pictures)) {
        rows.push_back(prepared.index_select(0, captions.pictures));
    }
    Tensors state = start(rows);
    const at::Tensor inputs = hide_words(captions.inputs);
    std::vector<at::Tensor> logits, attention;
    std::int64_t offset = 0;
    for (const std::int64_t count : captions.rows) {
        at::Tensor tokens = inputs.narrow(0, offset, count);
        if (options.scheduled_sampling > 0 && offset > 0) {
            const at::Tensor said =
                at::softmax(logits.back().detach().narrow(0, 0, count), 1).multinomial(1).view(-1);
            const at::Tensor own = at::rand({count}, tokens.device()) < options.scheduled_sampling;
            tokens = at::where(own, said, tokens);
        }
        for (Tensors* tensors : {&rows, &state}) {
            for (at::Tensor& tensor : *tensors) {
                if (tensor.size(0) != count) {
                    tensor = tensor.narrow(0, 0, count);
                }
            }
        }
        const NetworkStep result = step(rows, state, tokens);
        logits.push_back(result.logits);
        if (result.attention.defined()) {
            attention.push_back(result.attention);
        }
        offset += count;
    }
    return {at::cat(logits), attention.empty() ? at::Tensor() : at::cat(attention)};
}

at::Tensor absence_penalty(const PictureVectors& pictures) {
    const at::Tensor zeros =
        at::zeros({pictures.vectors.size(0), pictures.vectors.size(1)}, pictures.vectors.options());
    return pictures.present.defined() ? zeros.masked_fill(pictures.present.logical_not(),
                                                          -std::numeric_limits<double>::infinity())
                                      : zeros;
}

at::Tensor mean_vector(const PictureVectors& pictures) {
    if (!pictures.present.defined()) {
        return pictures.vectors.mean(1);
    }
    const at::Tensor absent = pictures.present.logical_not().unsqueeze(2);
    const at::Tensor count = pictures.present.sum(1, true).to(pictures.vectors.scalar_type());
    return pictures.vectors.masked_fill(absent, 0).sum(1) / count;
}

at::Tensor additive_attention(const at::Tensor& projected, const at::Tensor& query,
                              const at::Tensor& score, const at::Tensor& penalty) {
    const at::Tensor energies =
        at::matmul(at::tanh(projected + query.unsqueeze(1)), score.view({-1}));
    return at::softmax(energies + penalty, 1);
}

at::Tensor attended_vector(const at::Tensor& attention, const at::Tensor& vectors) {
    return at::bmm(attention.unsqueeze(1), vectors).squeeze(1);
}

}  // namespace seesay::language
