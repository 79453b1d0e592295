// Parameters and steps of the Transformer captioner.
#include "models/language/transformer.hpp"

#include <torch/torch.h>

#include <cmath>
#include <limits>

namespace seesay::language {
namespace {

constexpr double kUnbiasedEpsilon = 1e-6;
constexpr double kLayerNormEpsilon = 1e-5;

// `[positions, width]`: sines at even places, cosines at odd ones (§3.5 of the paper).
at::Tensor sinusoids(std::int64_t first, std::int64_t count, std::int64_t width,
                     const at::TensorOptions& options) {
    const at::Tensor position =
        torch::arange(first, first + count, at::TensorOptions(at::kDouble)).unsqueeze(1);
    const at::Tensor rate = at::exp(torch::arange(0, width, 2, at::TensorOptions(at::kDouble)) *
                                    (-std::log(10'000.0) / static_cast<double>(width)));
    at::Tensor result = at::zeros({count, width}, at::TensorOptions(at::kDouble));
    result.slice(1, 0, width, 2).copy_(at::sin(position * rate));
    result.slice(1, 1, width, 2).copy_(at::cos(position * rate.narrow(0, 0, width / 2)));
    return result.to(options);
}

}  // namespace

Transformer::Transformer(const TransformerSizes& sizes, const NetworkDropout& dropout,
                         std::int64_t unknown_token, Initialisation initialisation)
    : CaptionNetwork(dropout, unknown_token), sizes_(sizes) {
    ParameterMaker make(*this, initialisation);
    feature_embedding_ = make.glorot("feature_embedding", sizes.width, sizes.features);
    words_ = make.embedding("embedding", sizes.vocabulary, sizes.width);
    for (std::int64_t i = 0; i < sizes.encoder_layers; ++i) {
        const std::string scope = "encoder." + std::to_string(i);
        encoder_.push_back({make_attention(make, scope + ".self_attention"),
                            make_feed_forward(make, scope + ".feed_forward")});
    }
    for (std::int64_t i = 0; i < sizes.decoder_layers; ++i) {
        const std::string scope = "decoder." + std::to_string(i);
        decoder_.push_back({make_attention(make, scope + ".self_attention"),
                            make_attention(make, scope + ".picture_attention"),
                            make_feed_forward(make, scope + ".feed_forward")});
    }
    if (sizes.pre_norm) {
        encoder_norm_ = make_norm(make, "encoder_norm");
        decoder_norm_ = make_norm(make, "decoder_norm");
    }
    if (sizes.tied_output) {
        output_.weight = words_;
        output_.bias = make.constant("output", "bias", sizes.vocabulary, 0);
    } else {
        output_ = make.glorot("output", sizes.vocabulary, sizes.width);
    }
    if (sizes.tied_output && initialisation == Initialisation::Random) {
        // Then √d times a row has unit deviation and a product with it too.
        const torch::NoGradGuard no_gradient;
        words_.normal_(0.0, 1.0 / std::sqrt(static_cast<double>(sizes.width)));
    }
}

Transformer::Norm Transformer::make_norm(ParameterMaker& make, const std::string& scope) const {
    return {make.constant(scope, "weight", sizes_.width, 1),
            make.constant(scope, "bias", sizes_.width, 0)};
}

Transformer::Attention Transformer::make_attention(ParameterMaker& make,
                                                   const std::string& scope) const {
    const std::int64_t d = sizes_.width;
    return {make.glorot(scope + ".query", d, d), make.glorot(scope + ".key", d, d),
            make.glorot(scope + ".value", d, d), make.glorot(scope + ".output", d, d),
            make_norm(make, scope + ".norm")};
}

Transformer::FeedForward Transformer::make_feed_forward(ParameterMaker& make,
                                                        const std::string& scope) const {
    return {make.glorot(scope + ".inner", sizes_.feed_forward, sizes_.width),
            make.glorot(scope + ".outer", sizes_.width, sizes_.feed_forward),
            make_norm(make, scope + ".norm")};
}

nlohmann::json Transformer::sizes_json() const {
    return {{"features", sizes_.features},
            {"width", sizes_.width},
            {"heads", sizes_.heads},
            {"feed_forward", sizes_.feed_forward},
            {"encoder_layers", sizes_.encoder_layers},
            {"decoder_layers", sizes_.decoder_layers},
            {"vocabulary", sizes_.vocabulary}};
}

nlohmann::json Transformer::options_json() const {
    return {{"norm_place", sizes_.pre_norm ? "before" : "after"},
            {"norm", sizes_.unbiased_norm ? "unbiased" : "layer_norm"},
            {"tied_output", sizes_.tied_output}};
}

at::Tensor Transformer::normed(const Norm& norm, const at::Tensor& x) const {
    if (!sizes_.unbiased_norm) {
        return at::layer_norm(x, {sizes_.width}, norm.weight, norm.bias, kLayerNormEpsilon);
    }
    const at::Tensor deviation = x.std(std::vector<std::int64_t>{-1}, true, true);
    return norm.weight * (x - x.mean(-1, true)) / (deviation + kUnbiasedEpsilon) + norm.bias;
}

// [N, T, d] to [N, heads, T, d / heads].
at::Tensor Transformer::heads_of(const at::Tensor& x) const {
    return x.view({x.size(0), x.size(1), sizes_.heads, sizes_.width / sizes_.heads})
        .transpose(1, 2);
}

Transformer::Attended Transformer::attend(const Attention& attention, const at::Tensor& query,
                                          const at::Tensor& keys, const at::Tensor& values,
                                          const at::Tensor& penalty) const {
    const double scale = 1.0 / std::sqrt(static_cast<double>(sizes_.width / sizes_.heads));
    at::Tensor energies =
        at::matmul(heads_of(attention.query(query)), keys.transpose(-2, -1)) * scale;
    if (penalty.defined()) {
        energies = energies + penalty;
    }
    const at::Tensor weights = at::softmax(energies, -1);
    const at::Tensor mixed = at::matmul(drop(weights, dropout().hidden), values);
    return {attention.output(
                mixed.transpose(1, 2).reshape({query.size(0), query.size(1), sizes_.width})),
            weights};
}

template <typename Function>
at::Tensor Transformer::residual(const Norm& norm, const at::Tensor& x,
                                 const Function& function) const {
    if (sizes_.pre_norm) {
        return x + drop(function(normed(norm, x)), dropout().hidden);
    }
    return normed(norm, x + drop(function(x), dropout().hidden));
}

at::Tensor Transformer::fed_forward(const FeedForward& layer, const at::Tensor& x) const {
    return residual(layer.norm, x, [&](const at::Tensor& input) {
        return layer.outer(drop(at::relu(layer.inner(input)), dropout().hidden));
    });
}

at::Tensor Transformer::embedded(const at::Tensor& tokens, std::int64_t first) const {
    const at::Tensor words =
        at::embedding(words_, tokens) * std::sqrt(static_cast<double>(sizes_.width));
    return drop(words + sinusoids(first, tokens.size(1), sizes_.width, words.options()),
                dropout().embedding);
}

CaptionNetwork::Tensors Transformer::prepare(const PictureVectors& pictures) {
    at::Tensor x = drop(at::relu(feature_embedding_(pictures.vectors)), dropout().features);
    const at::Tensor penalty = absence_penalty(pictures);
    const at::Tensor for_heads = penalty.unsqueeze(1).unsqueeze(1);
    for (const EncoderLayer& layer : encoder_) {
        x = residual(layer.own.norm, x, [&](const at::Tensor& input) {
            return attend(layer.own, input, heads_of(layer.own.key(input)),
                          heads_of(layer.own.value(input)), for_heads)
                .value;
        });
        x = fed_forward(layer.feed_forward, x);
    }
    if (sizes_.pre_norm) {
        x = normed(encoder_norm_, x);
    }
    Tensors prepared{penalty};
    for (const DecoderLayer& layer : decoder_) {
        prepared.push_back(heads_of(layer.picture.key(x)));
        prepared.push_back(heads_of(layer.picture.value(x)));
    }
    return prepared;
}

CaptionNetwork::Tensors Transformer::start(const Tensors& rows) {
    const at::Tensor none = at::zeros(
        {rows[0].size(0), sizes_.heads, 0, sizes_.width / sizes_.heads}, rows[0].options());
    return Tensors(2 * decoder_.size(), none);
}

at::Tensor Transformer::decode(const Tensors& rows, Tensors& state, const at::Tensor& tokens,
                               const at::Tensor& own_penalty, at::Tensor& attention) const {
    at::Tensor x = embedded(tokens, state.empty() ? 0 : state[0].size(2));
    const at::Tensor penalty = rows[0].unsqueeze(1).unsqueeze(1);
    for (std::size_t i = 0; i < decoder_.size(); ++i) {
        const DecoderLayer& layer = decoder_[i];
        at::Tensor& keys = state[2 * i];
        at::Tensor& values = state[2 * i + 1];
        x = residual(layer.own.norm, x, [&](const at::Tensor& input) {
            keys = at::cat({keys, heads_of(layer.own.key(input))}, 2);
            values = at::cat({values, heads_of(layer.own.value(input))}, 2);
            return attend(layer.own, input, keys, values, own_penalty).value;
        });
        x = residual(layer.picture.norm, x, [&](const at::Tensor& input) {
            Attended attended =
                attend(layer.picture, input, rows[2 * i + 1], rows[2 * i + 2], penalty);
            attention = attended.weights.mean(1);
            return attended.value;
        });
        x = fed_forward(layer.feed_forward, x);
    }
    return sizes_.pre_norm ? normed(decoder_norm_, x) : x;
}

NetworkStep Transformer::step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) {
    at::Tensor attention;
    const at::Tensor x = decode(rows, state, tokens.unsqueeze(1), {}, attention);
    return {output_(x.squeeze(1)), attention.squeeze(1)};
}

TeacherForcing Transformer::forward(const PictureVectors& pictures, const PackedCaptions& captions,
                                    const ForcingOptions& options) {
    if (options.scheduled_sampling > 0) {
        return forward_stepwise(pictures, captions, options);
    }
    Tensors rows;
    for (const at::Tensor& prepared : prepare(pictures)) {
        rows.push_back(prepared.index_select(0, captions.pictures));
    }
    // Packed rows to [R, T] and back: row `caption` and column `step` of each.
    const auto steps = static_cast<std::int64_t>(captions.rows.size());
    std::vector<at::Tensor> columns;
    for (std::int64_t t = 0; t < steps; ++t) {
        columns.push_back(
            at::full({captions.rows[static_cast<std::size_t>(t)]}, t, captions.inputs.options()));
    }
    const at::Tensor places = captions.caption * steps + at::cat(columns);
    const std::int64_t count = captions.pictures.size(0);
    const at::Tensor tokens = at::zeros({count * steps}, captions.inputs.options())
                                  .index_copy(0, places, hide_words(captions.inputs))
                                  .view({count, steps});
    const at::Tensor later =
        at::full({steps, steps}, -std::numeric_limits<double>::infinity(), rows[0].options())
            .triu(1);
    Tensors state = start(rows);
    at::Tensor attention;
    const at::Tensor x = decode(rows, state, tokens, later, attention);
    return {output_(x.reshape({count * steps, sizes_.width}).index_select(0, places)),
            attention.reshape({count * steps, attention.size(2)}).index_select(0, places)};
}

}  // namespace seesay::language
