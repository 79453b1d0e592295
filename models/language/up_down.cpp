// Parameters and steps of Up-Down.
#include "models/language/up_down.hpp"

#include <torch/torch.h>

namespace seesay::language {

UpDown::UpDown(const UpDownSizes& sizes, const NetworkDropout& dropout, std::int64_t unknown_token,
               Initialisation initialisation)
    : CaptionNetwork(dropout, unknown_token), sizes_(sizes) {
    ParameterMaker make(*this, initialisation);
    const std::int64_t h = sizes.hidden;
    words_ = make.embedding("embedding", sizes.vocabulary, sizes.embedding);
    if (sizes.embedded) {
        feature_embedding_ = make.affine("feature_embedding", h, sizes.features);
        mean_embedding_ = make.affine("mean_embedding", h, sizes.features);
    }
    attention_lstm_ = make.lstm("attention_lstm", h + sizes.attended() + sizes.embedding, h);
    place_ =
        make.affine("attention.feature", sizes.attention, sizes.attended(), sizes.attention_bias);
    query_ = make.affine("attention.hidden", sizes.attention, h, sizes.attention_bias);
    score_ = make.affine("attention.score", 1, sizes.attention, sizes.attention_bias);
    language_lstm_ = make.lstm("language_lstm", sizes.attended() + h, h);
    output_ = make.affine("output", sizes.vocabulary, h);
}

nlohmann::json UpDown::sizes_json() const {
    return {{"features", sizes_.features},
            {"embedding", sizes_.embedding},
            {"hidden", sizes_.hidden},
            {"attention", sizes_.attention},
            {"vocabulary", sizes_.vocabulary}};
}

nlohmann::json UpDown::options_json() const {
    return {{"embedded", sizes_.embedded}, {"attention_bias", sizes_.attention_bias}};
}

CaptionNetwork::Tensors UpDown::prepare(const PictureVectors& pictures) {
    at::Tensor vectors = pictures.vectors;
    at::Tensor mean = mean_vector(pictures);
    if (sizes_.embedded) {
        vectors = at::relu(feature_embedding_(vectors));
        mean = at::relu(mean_embedding_(mean));
    }
    vectors = drop(vectors, dropout().features);
    mean = drop(mean, dropout().features);
    return {vectors, place_(vectors), mean, absence_penalty(pictures)};
}

CaptionNetwork::Tensors UpDown::start(const Tensors& rows) {
    const at::Tensor zeros = at::zeros({rows[0].size(0), sizes_.hidden}, rows[0].options());
    return {zeros, zeros, zeros, zeros};  // h¹, c¹, h², c²
}

NetworkStep UpDown::step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) {
    at::Tensor word = at::embedding(words_, tokens);
    if (sizes_.embedded) {
        word = at::relu(word);
    }
    attention_lstm_.step(at::cat({state[2], rows[2], drop(word, dropout().embedding)}, 1), state[0],
                         state[1]);
    // The bias of the score cannot matter under the softmax.
    const at::Tensor attention =
        additive_attention(rows[1], query_(state[0]), score_.weight, rows[3]);
    language_lstm_.step(at::cat({attended_vector(attention, rows[0]), state[0]}, 1), state[2],
                        state[3]);
    return {output_(drop(state[2], dropout().hidden)), attention};
}

}  // namespace seesay::language
