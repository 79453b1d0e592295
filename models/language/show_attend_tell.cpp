// Parameters and forward pass of the trainable Show-Attend-Tell network.
#include "models/language/show_attend_tell.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/language/attention_lstm.hpp"

namespace seesay::language {
namespace {

// Flat parameters under dotted names: the module tree then spells the names of the package's
// tensors.
struct Holder : torch::nn::Module {
    void weight_and_bias(std::int64_t out, std::int64_t in, bool bias = true) {
        const double bound = 1.0 / std::sqrt(static_cast<double>(in));
        register_parameter("weight", torch::empty({out, in}).uniform_(-bound, bound));
        if (bias) {
            register_parameter("bias", torch::zeros({out}));
        }
    }
};

std::shared_ptr<Holder> linear(std::int64_t out, std::int64_t in, bool bias = true) {
    auto holder = std::make_shared<Holder>();
    holder->weight_and_bias(out, in, bias);
    return holder;
}

at::Tensor parameter(const torch::nn::Module& module, const std::string& name) {
    return module.named_parameters(/*recurse=*/true)[name];
}

// Orthogonal rows for each of the four gates, as the authors initialise the recurrent matrix.
at::Tensor orthogonal_gates(std::int64_t size) {
    std::vector<at::Tensor> blocks;
    for (int gate = 0; gate < 4; ++gate) {
        at::Tensor block = torch::empty({size, size});
        torch::nn::init::orthogonal_(block);
        blocks.push_back(block);
    }
    return torch::cat(blocks, 0);
}

}  // namespace

nlohmann::json ShowAttendTellSizes::sizes_json() const {
    nlohmann::json json{{"features", features},   {"projection", nullptr},
                        {"attention", attention}, {"hidden", hidden},
                        {"embedding", embedding}, {"vocabulary", vocabulary}};
    if (projection > 0) {
        json["projection"] = projection;
    }
    return json;
}

nlohmann::json ShowAttendTellSizes::options_json() const {
    return {{"deep_output", tanh_output ? "tanh" : "linear"},
            {"tied_output", tied_output},
            {"projection_norm", projection > 0 && projection_norm}};
}

ShowAttendTellSizes ShowAttendTellSizes::from_json(const nlohmann::json& sizes,
                                                   const nlohmann::json& options) {
    ShowAttendTellSizes result;
    result.features = sizes.at("features").get<std::int64_t>();
    const bool projects = sizes.contains("projection") && !sizes["projection"].is_null();
    result.projection = projects ? sizes["projection"].get<std::int64_t>() : 0;
    result.attention = sizes.at("attention").get<std::int64_t>();
    result.hidden = sizes.at("hidden").get<std::int64_t>();
    result.embedding = sizes.at("embedding").get<std::int64_t>();
    result.vocabulary = sizes.at("vocabulary").get<std::int64_t>();
    const nlohmann::json& chosen = options.is_null() ? nlohmann::json::object() : options;
    result.tanh_output = chosen.value("deep_output", "linear") == "tanh";
    result.tied_output = chosen.value("tied_output", true);
    result.projection_norm = chosen.value("projection_norm", projects);
    return result;
}

PackedCaptions pack_captions(const std::vector<std::vector<std::int64_t>>& captions,
                             const std::vector<std::int64_t>& pictures, std::int64_t start,
                             std::int64_t end, std::int64_t maximum_length) {
    // Steps of a caption: its words and the end token, or just the first words of one that is cut.
    auto steps = [&](std::size_t index) {
        const auto words = static_cast<std::int64_t>(captions[index].size());
        return words > maximum_length ? maximum_length : words + 1;
    };
    std::vector<std::size_t> order(captions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return steps(a) > steps(b); });

    PackedCaptions packed;
    std::vector<std::int64_t> inputs, targets, caption, picture_of;
    for (const auto index : order) {
        picture_of.push_back(pictures[index]);
    }
    const std::int64_t longest = order.empty() ? 0 : steps(order.front());
    for (std::int64_t t = 0; t < longest; ++t) {
        std::int64_t row = 0;
        for (; row < static_cast<std::int64_t>(order.size()) && steps(order[row]) > t; ++row) {
            const auto& words = captions[order[row]];
            inputs.push_back(t == 0 ? start : words[t - 1]);
            targets.push_back(t < static_cast<std::int64_t>(words.size()) ? words[t] : end);
            caption.push_back(row);
        }
        packed.rows.push_back(row);
    }
    packed.inputs = torch::tensor(inputs, torch::kInt64);
    packed.targets = torch::tensor(targets, torch::kInt64);
    packed.caption = torch::tensor(caption, torch::kInt64);
    packed.pictures = torch::tensor(picture_of, torch::kInt64);
    packed.order = std::move(order);
    return packed;
}

ShowAttendTellImpl::ShowAttendTellImpl(const ShowAttendTellSizes& sizes,
                                       const ShowAttendTellDropout& dropout,
                                       std::int64_t unknown_token)
    : sizes_(sizes), dropout_(dropout), unknown_token_(unknown_token) {
    const std::int64_t width = sizes.annotation();
    if (sizes.projection > 0) {
        register_module("projection", linear(sizes.projection, sizes.features));
        if (sizes.projection_norm) {
            auto norm = std::make_shared<Holder>();
            norm->register_parameter("weight", torch::ones({width}));
            norm->register_parameter("bias", torch::zeros({width}));
            register_module("projection_norm", norm);
        }
    }
    for (const char* name : {"initial_hidden", "initial_cell"}) {
        auto state = std::make_shared<Holder>();
        state->register_module("inner", linear(width, width));
        state->register_module("outer", linear(sizes.hidden, width));
        register_module(name, state);
    }
    auto attention = std::make_shared<Holder>();
    attention->register_module("feature", linear(sizes.attention, width));
    attention->register_module("hidden", linear(sizes.attention, sizes.hidden, false));
    attention->register_module("score", linear(1, sizes.attention));
    register_module("attention", attention);
    register_module("gate", linear(1, sizes.hidden));

    auto embedding = std::make_shared<Holder>();
    embedding->register_parameter(
        "weight", torch::empty({sizes.vocabulary, sizes.embedding}).uniform_(-0.1, 0.1));
    register_module("embedding", embedding);

    const double bound = 1.0 / std::sqrt(static_cast<double>(sizes.hidden));
    auto lstm = std::make_shared<Holder>();
    lstm->register_parameter(
        "weight_ih",
        torch::empty({4 * sizes.hidden, sizes.embedding + width}).uniform_(-bound, bound));
    lstm->register_parameter("weight_hh", orthogonal_gates(sizes.hidden));
    lstm->register_parameter("bias", torch::zeros({4 * sizes.hidden}));
    register_module("lstm", lstm);

    register_module("output_hidden", linear(sizes.embedding, sizes.hidden, false));
    register_module("output_context", linear(sizes.embedding, width, false));
    register_parameter("output_bias", torch::zeros({sizes.embedding}));
    auto output = std::make_shared<Holder>();
    if (!sizes.tied_output) {
        output->register_parameter(
            "weight", torch::empty({sizes.vocabulary, sizes.embedding}).uniform_(-0.1, 0.1));
    }
    output->register_parameter("bias", torch::zeros({sizes.vocabulary}));
    register_module("output", output);
}

at::Tensor ShowAttendTellImpl::drop(const at::Tensor& value, double probability) const {
    return is_training() && probability > 0 ? at::dropout(value, probability, true) : value;
}

at::Tensor ShowAttendTellImpl::annotation_vectors(const at::Tensor& features) {
    const at::Tensor dropped = drop(features, dropout_.features);
    if (sizes_.projection == 0) {
        return dropped;
    }
    const at::Tensor projected = at::linear(dropped, parameter(*this, "projection.weight"),
                                            parameter(*this, "projection.bias"));
    return sizes_.projection_norm ? at::layer_norm(projected, {sizes_.projection},
                                                   parameter(*this, "projection_norm.weight"),
                                                   parameter(*this, "projection_norm.bias"), 1e-5)
                                  : projected;
}

at::Tensor ShowAttendTellImpl::initial_state(const std::string& name, const at::Tensor& mean) {
    const at::Tensor inner = at::relu(at::linear(mean, parameter(*this, name + ".inner.weight"),
                                                 parameter(*this, name + ".inner.bias")));
    return at::tanh(at::linear(inner, parameter(*this, name + ".outer.weight"),
                               parameter(*this, name + ".outer.bias")));
}

TeacherForcing ShowAttendTellImpl::forward(const at::Tensor& features,
                                           const PackedCaptions& captions) {
    const auto p = named_parameters(true);
    const at::Tensor annotations = annotation_vectors(features);
    const at::Tensor mean = annotations.mean(1);

    at::Tensor inputs = captions.inputs;
    if (is_training() && dropout_.words > 0) {
        const at::Tensor unknown = at::rand(inputs.sizes()) < dropout_.words;
        inputs = inputs.masked_fill(unknown, unknown_token_);
    }
    const at::Tensor words = at::embedding(p["embedding.weight"], inputs);  // [S, E]
    const at::Tensor input_weight = p["lstm.weight_ih"];

    AttentionLstmInputs recurrence;
    recurrence.annotations = annotations;
    recurrence.projected =
        at::linear(annotations, p["attention.feature.weight"], p["attention.feature.bias"]);
    recurrence.input_gates =
        at::linear(drop(words, dropout_.embedding), input_weight.narrow(1, 0, sizes_.embedding),
                   p["lstm.bias"]);
    recurrence.hidden = initial_state("initial_hidden", mean).index_select(0, captions.pictures);
    recurrence.cell = initial_state("initial_cell", mean).index_select(0, captions.pictures);
    recurrence.recurrent_weight = p["lstm.weight_hh"];
    recurrence.context_weight = input_weight.narrow(1, sizes_.embedding, sizes_.annotation());
    recurrence.query_weight = p["attention.hidden.weight"];
    recurrence.score_weight = p["attention.score.weight"].view({-1});
    recurrence.gate_weight = p["gate.weight"];
    recurrence.gate_bias = p["gate.bias"];
    recurrence.pictures = captions.pictures;
    recurrence.rows = captions.rows;
    const AttentionLstmOutputs states = attention_lstm(recurrence);

    // Deep output, equation 7: L_o(E y + L_h h + L_z ẑ). The bias of attention.score cannot matter
    // under the softmax.
    at::Tensor deep = words +
                      at::linear(drop(states.hidden, dropout_.hidden), p["output_hidden.weight"]) +
                      at::linear(states.context, p["output_context.weight"]) + p["output_bias"];
    if (sizes_.tanh_output) {
        deep = at::tanh(deep);
    }
    const at::Tensor output_weight =
        sizes_.tied_output ? p["embedding.weight"] : p["output.weight"];
    return {at::linear(drop(deep, dropout_.output), output_weight, p["output.bias"]),
            states.attention};
}

at::Tensor doubly_stochastic_term(const at::Tensor& attention, const PackedCaptions& captions) {
    const std::int64_t count = captions.pictures.size(0);
    const at::Tensor sums = at::zeros({count, attention.size(1)}, attention.options())
                                .index_add(0, captions.caption, attention);
    return (1 - sums).pow(2).sum(1).mean();
}

}  // namespace seesay::language
