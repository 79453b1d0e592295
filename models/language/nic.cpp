// Parameters and steps of NIC.
#include "models/language/nic.hpp"

#include <torch/torch.h>

namespace seesay::language {

Nic::Nic(const NicSizes& sizes, const NetworkDropout& dropout, std::int64_t unknown_token,
         Initialisation initialisation)
    : CaptionNetwork(dropout, unknown_token), sizes_(sizes) {
    ParameterMaker make(*this, initialisation);
    words_ = make.embedding("embedding", sizes.vocabulary, sizes.embedding);
    picture_ = make.affine("picture", sizes.embedding, sizes.features);
    if (sizes.maxout) {
        maxout_ = make.maxout("lstm", sizes.embedding, sizes.hidden);
    } else {
        lstm_ = make.lstm("lstm", sizes.embedding, sizes.hidden);
    }
    if (sizes.tied_output) {
        output_.weight = words_;
        output_.bias = make.constant("output", "bias", sizes.vocabulary, 0);
    } else {
        output_ = make.affine("output", sizes.vocabulary, sizes.hidden);
    }
}

nlohmann::json Nic::sizes_json() const {
    return {{"features", sizes_.features},
            {"embedding", sizes_.embedding},
            {"hidden", sizes_.hidden},
            {"vocabulary", sizes_.vocabulary}};
}

nlohmann::json Nic::options_json() const {
    return {{"cell", sizes_.maxout ? "maxout" : "lstm"}, {"tied_output", sizes_.tied_output}};
}

void Nic::read(const at::Tensor& input, Tensors& state) const {
    const at::Tensor x = drop(input, dropout().embedding);
    if (sizes_.maxout) {
        maxout_.step(x, {}, state[0], state[1]);
    } else {
        lstm_.step(x, state[0], state[1]);
    }
}

CaptionNetwork::Tensors Nic::prepare(const PictureVectors& pictures) {
    return {picture_(drop(mean_vector(pictures), dropout().features))};
}

CaptionNetwork::Tensors Nic::start(const Tensors& rows) {
    const at::Tensor zeros = at::zeros({rows[0].size(0), sizes_.hidden}, rows[0].options());
    Tensors state{zeros, zeros};
    read(rows[0], state);
    return state;
}

NetworkStep Nic::step(const Tensors& /*rows*/, Tensors& state, const at::Tensor& tokens) {
    read(at::embedding(words_, tokens), state);
    return {output_(drop(state[0], dropout().hidden)), {}};
}

}  // namespace seesay::language
