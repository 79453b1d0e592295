// Parameters and steps of Att2in.
#include "models/language/att2in.hpp"

#include <torch/torch.h>

namespace seesay::language {

Att2in::Att2in(const Att2inSizes& sizes, const NetworkDropout& dropout, std::int64_t unknown_token,
               Initialisation initialisation)
    : CaptionNetwork(dropout, unknown_token), sizes_(sizes) {
    ParameterMaker make(*this, initialisation);
    const std::int64_t h = sizes.hidden;
    words_ = make.embedding("embedding", sizes.vocabulary, sizes.embedding);
    if (sizes.embedded) {
        feature_embedding_ = make.affine("feature_embedding", h, sizes.features);
    }
    place_ = make.affine("attention.feature", sizes.attention, sizes.attended());
    query_ = make.affine("attention.hidden", sizes.attention, h);
    score_ = make.affine("attention.score", 1, sizes.attention);
    lstm_ = make.maxout("lstm", sizes.embedding, h);
    candidate_ = make.affine("lstm.context", 2 * h, sizes.attended());
    output_ = make.affine("output", sizes.vocabulary, h);
}

nlohmann::json Att2in::sizes_json() const {
    return {{"features", sizes_.features},
            {"embedding", sizes_.embedding},
            {"hidden", sizes_.hidden},
            {"attention", sizes_.attention},
            {"vocabulary", sizes_.vocabulary}};
}

nlohmann::json Att2in::options_json() const {
    return {{"embedded", sizes_.embedded}};
}

CaptionNetwork::Tensors Att2in::prepare(const PictureVectors& pictures) {
    at::Tensor vectors = pictures.vectors;
    if (sizes_.embedded) {
        vectors = at::relu(feature_embedding_(vectors));
    }
    vectors = drop(vectors, dropout().features);
    return {vectors, place_(vectors), absence_penalty(pictures)};
}

CaptionNetwork::Tensors Att2in::start(const Tensors& rows) {
    const at::Tensor zeros = at::zeros({rows[0].size(0), sizes_.hidden}, rows[0].options());
    return {zeros, zeros};
}

NetworkStep Att2in::step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) {
    at::Tensor word = at::embedding(words_, tokens);
    if (sizes_.embedded) {
        word = at::relu(word);
    }
    const at::Tensor attention =
        additive_attention(rows[1], query_(state[0]), score_.weight, rows[2]);
    lstm_.step(drop(word, dropout().embedding), candidate_(attended_vector(attention, rows[0])),
               state[0], state[1]);
    return {output_(drop(state[0], dropout().hidden)), attention};
}

}  // namespace seesay::language
