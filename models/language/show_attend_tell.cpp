// Parameters and passes of the Show-Attend-Tell network.
#include "models/language/show_attend_tell.hpp"

#include <torch/torch.h>

#include "models/error.hpp"
#include "models/language/attention_lstm.hpp"

namespace seesay::language {
namespace {

// Rows of `attention` where `places` is −1, all weight on one place in the others.
at::Tensor looking_at(const at::Tensor& attention, const at::Tensor& places) {
    const at::Tensor one_hot =
        at::one_hot(places.clamp_min(0), attention.size(1)).to(attention.scalar_type());
    return at::where((places < 0).unsqueeze(1), attention, one_hot);
}

}  // namespace

ShowAttendTell::ShowAttendTell(const ShowAttendTellSizes& sizes, const NetworkDropout& dropout,
                               std::int64_t unknown_token, Initialisation initialisation)
    : CaptionNetwork(dropout, unknown_token), sizes_(sizes) {
    ParameterMaker make(*this, initialisation);
    const std::int64_t width = sizes.annotation();
    if (sizes.projection > 0) {
        projection_ = make.affine("projection", sizes.projection, sizes.features);
        if (sizes.projection_norm) {
            norm_weight_ = make.constant("projection_norm", "weight", width, 1);
            norm_bias_ = make.constant("projection_norm", "bias", width, 0);
        }
    }
    const auto initial = [&](const std::string& name) {
        InitialState layers;
        if (!sizes.linear_start) {
            layers.inner = make.affine(name + ".inner", width, width);
        }
        layers.outer = make.affine(name + ".outer", sizes.hidden, width);
        return layers;
    };
    initial_hidden_ = initial("initial_hidden");
    initial_cell_ = initial("initial_cell");
    place_ = make.affine("attention.feature", sizes.attention, width);
    if (sizes.second_layer) {
        second_place_ = make.affine("attention.second", sizes.attention, sizes.attention);
    }
    query_ = make.affine("attention.hidden", sizes.attention, sizes.hidden, false);
    score_ = make.affine("attention.score", 1, sizes.attention);
    gate_ = make.affine("gate", sizes.gate_vector ? width : 1, sizes.hidden);
    words_ = make.embedding("embedding", sizes.vocabulary, sizes.embedding);
    lstm_ = make.lstm("lstm", sizes.embedding + width, sizes.hidden);
    if (sizes.deep_output) {
        output_hidden_ = make.affine("output_hidden", sizes.embedding, sizes.hidden, false);
        output_context_ = make.affine("output_context", sizes.embedding, width, false);
        output_bias_ = make.constant("", "output_bias", sizes.embedding, 0);
    }
    output_.weight =
        sizes.tied_output ? words_ : make.embedding("output", sizes.vocabulary, sizes.deep());
    output_.bias = make.constant("output", "bias", sizes.vocabulary, 0);
}

nlohmann::json ShowAttendTell::sizes_json() const {
    nlohmann::json json{{"features", sizes_.features},   {"projection", nullptr},
                        {"attention", sizes_.attention}, {"hidden", sizes_.hidden},
                        {"embedding", sizes_.embedding}, {"vocabulary", sizes_.vocabulary}};
    if (sizes_.projection > 0) {
        json["projection"] = sizes_.projection;
    }
    return json;
}

nlohmann::json ShowAttendTell::options_json() const {
    nlohmann::json json{
        {"deep_output", !sizes_.deep_output ? "none" : (sizes_.tanh_output ? "tanh" : "linear")},
        {"tied_output", sizes_.tied_output},
        {"projection_norm", sizes_.projection > 0 && sizes_.projection_norm}};
    if (sizes_.relu_attention) {
        json["attention_activation"] = "relu";
    }
    if (sizes_.second_layer) {
        json["second_layer"] = true;
    }
    if (sizes_.linear_start) {
        json["initial_state"] = "linear";
    }
    if (sizes_.gate_vector) {
        json["gate"] = "vector";
    }
    if (sizes_.most_likely_place) {
        json["place"] = "most_likely";
    }
    return json;
}

at::Tensor ShowAttendTell::annotation_vectors(const at::Tensor& features) const {
    const at::Tensor dropped = drop(features, dropout().features);
    if (sizes_.projection == 0) {
        return dropped;
    }
    const at::Tensor projected = projection_(dropped);
    return sizes_.projection_norm
               ? at::layer_norm(projected, {sizes_.projection}, norm_weight_, norm_bias_, 1e-5)
               : projected;
}

at::Tensor ShowAttendTell::keys(const at::Tensor& annotations) const {
    const at::Tensor first = place_(annotations);
    return sizes_.second_layer ? at::tanh(second_place_(first)) : first;
}

at::Tensor ShowAttendTell::initial_state(const InitialState& layers, const at::Tensor& mean) const {
    return sizes_.linear_start ? layers.outer(mean)
                               : at::tanh(layers.outer(at::relu(layers.inner(mean))));
}

CaptionNetwork::Tensors ShowAttendTell::prepare(const PictureVectors& pictures) {
    const at::Tensor annotations = annotation_vectors(pictures.vectors);
    const at::Tensor mean = mean_vector({annotations, pictures.present});
    return {annotations, keys(annotations), initial_state(initial_hidden_, mean),
            initial_state(initial_cell_, mean), absence_penalty(pictures)};
}

CaptionNetwork::Tensors ShowAttendTell::start(const Tensors& rows) {
    return {rows[2], rows[3]};
}

// Equation 7, L_o(E y + L_h h + L_z ẑ). The bias of attention.score cannot matter under the
// softmax.
at::Tensor ShowAttendTell::logits(const at::Tensor& words, const at::Tensor& hidden,
                                  const at::Tensor& context) const {
    if (!sizes_.deep_output) {
        return output_(drop(hidden, dropout().hidden));
    }
    at::Tensor deep = words + output_hidden_(drop(hidden, dropout().hidden)) +
                      output_context_(context) + output_bias_;
    if (sizes_.tanh_output) {
        deep = at::tanh(deep);
    }
    return output_(drop(deep, dropout().output));
}

at::Tensor ShowAttendTell::attention_of(const Tensors& rows, const at::Tensor& hidden) const {
    const at::Tensor sums = rows[1] + query_(hidden).unsqueeze(1);
    const at::Tensor energies = at::matmul(sizes_.relu_attention ? at::relu(sums) : at::tanh(sums),
                                           score_.weight.view({-1}));
    return at::softmax(energies + rows[4], 1);
}

at::Tensor ShowAttendTell::read(const Tensors& rows, Tensors& state, const at::Tensor& tokens,
                                const at::Tensor& weights) const {
    const at::Tensor context = at::sigmoid(gate_(state[0])) * attended_vector(weights, rows[0]);
    const at::Tensor words = at::embedding(words_, tokens);
    lstm_.step(at::cat({drop(words, dropout().embedding), context}, 1), state[0], state[1]);
    return logits(words, state[0], context);
}

NetworkStep ShowAttendTell::step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) {
    const at::Tensor attention = attention_of(rows, state[0]);
    const at::Tensor weights =
        sizes_.most_likely_place ? looking_at(attention, attention.argmax(1)) : attention;
    return {read(rows, state, tokens, weights), attention};
}

TeacherForcing ShowAttendTell::forward(const PictureVectors& pictures,
                                       const PackedCaptions& captions,
                                       const ForcingOptions& options) {
    if (options.drawn_places > 0 || options.places.defined()) {
        return forward_located(pictures, captions, options);
    }
    const bool fused = sizes_.is_papers() && !sizes_.most_likely_place &&
                       !pictures.present.defined() && options.scheduled_sampling == 0;
    return fused ? forward_fused(pictures.vectors, captions)
                 : forward_stepwise(pictures, captions, options);
}

TeacherForcing ShowAttendTell::forward_fused(const at::Tensor& features,
                                             const PackedCaptions& captions) const {
    const at::Tensor annotations = annotation_vectors(features);
    const at::Tensor mean = annotations.mean(1);
    const at::Tensor words = at::embedding(words_, hide_words(captions.inputs));  // [S, E]

    AttentionLstmInputs recurrence;
    recurrence.annotations = annotations;
    recurrence.projected = keys(annotations);
    recurrence.input_gates = at::linear(drop(words, dropout().embedding),
                                        lstm_.weight_ih.narrow(1, 0, sizes_.embedding), lstm_.bias);
    recurrence.hidden = initial_state(initial_hidden_, mean).index_select(0, captions.pictures);
    recurrence.cell = initial_state(initial_cell_, mean).index_select(0, captions.pictures);
    recurrence.recurrent_weight = lstm_.weight_hh;
    recurrence.context_weight = lstm_.weight_ih.narrow(1, sizes_.embedding, sizes_.annotation());
    recurrence.query_weight = query_.weight;
    recurrence.score_weight = score_.weight.view({-1});
    recurrence.gate_weight = gate_.weight;
    recurrence.gate_bias = gate_.bias;
    recurrence.pictures = captions.pictures;
    recurrence.rows = captions.rows;
    const AttentionLstmOutputs states = attention_lstm(recurrence);
    return {logits(words, states.hidden, states.context), states.attention, {}};
}

TeacherForcing ShowAttendTell::forward_located(const PictureVectors& pictures,
                                               const PackedCaptions& captions,
                                               const ForcingOptions& options) {
    if (options.scheduled_sampling > 0) {
        throw Error("scheduled sampling does not go with drawn places");
    }
    Tensors rows;
    for (const at::Tensor& prepared : prepare(pictures)) {
        rows.push_back(prepared.index_select(0, captions.pictures));
    }
    Tensors state = start(rows);
    const at::Tensor inputs = hide_words(captions.inputs);
    const std::int64_t count = captions.pictures.size(0);
    const at::Tensor draws = at::rand({count}, inputs.device()) < options.drawn_places;
    std::vector<at::Tensor> logits, attention, places;
    std::int64_t offset = 0;
    for (const std::int64_t step_rows : captions.rows) {
        for (Tensors* tensors : {&rows, &state}) {
            for (at::Tensor& tensor : *tensors) {
                tensor = tensor.narrow(0, 0, step_rows);
            }
        }
        const at::Tensor step_attention = attention_of(rows, state[0]);
        at::Tensor step_places;
        if (options.places.defined()) {
            step_places = options.places.narrow(0, offset, step_rows);
        } else {
            step_places = step_attention.detach().multinomial(1).view(-1).masked_fill(
                draws.narrow(0, 0, step_rows).logical_not(), -1);
        }
        logits.push_back(read(rows, state, inputs.narrow(0, offset, step_rows),
                              looking_at(step_attention, step_places)));
        attention.push_back(step_attention);
        places.push_back(step_places);
        offset += step_rows;
    }
    return {at::cat(logits), at::cat(attention), at::cat(places)};
}

}  // namespace seesay::language
