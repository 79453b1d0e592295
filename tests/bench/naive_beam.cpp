// One hypothesis, one step, one word at a time.
#include "tests/bench/naive_beam.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/weights/torch_tensor.hpp"

namespace seesay::bench {
namespace {

struct Hypothesis {
    std::vector<int> words;
    double log_probability = 0;
    at::Tensor hidden, cell;
};

bool repeats_ngram(const std::vector<int>& words, int next, int length) {
    if (length <= 0 || static_cast<int>(words.size()) + 1 < length) {
        return false;
    }
    std::vector<int> all = words;
    all.push_back(next);
    std::set<std::vector<int>> seen;
    for (std::size_t i = 0; i + length <= all.size(); ++i) {
        if (!seen.insert({all.begin() + static_cast<std::ptrdiff_t>(i),
                          all.begin() + static_cast<std::ptrdiff_t>(i) + length})
                 .second) {
            return true;
        }
    }
    return false;
}

}  // namespace

NaiveBeam::NaiveBeam(const weights::ModelPackage& package)
    : vocabulary_(
          language::Vocabulary::parse(package.read_text("vocabulary.json"), "vocabulary.json")) {
    for (const auto& [name, tensor] : package.tensors().tensors()) {
        weights_[name] = weights::to_tensor(tensor, torch::kFloat);
    }
    const auto& options = package.manifest().at("options");
    projection_norm_ = options.value("projection_norm", false);
    tanh_output_ = options.value("deep_output", "linear") == "tanh";
    if (options.value("tied_output", true)) {
        weights_["output.weight"] = weights_.at("embedding.weight");
    }
}

at::Tensor NaiveBeam::annotations(const at::Tensor& features) const {
    if (weights_.count("projection.weight") == 0) {
        return features;
    }
    at::Tensor a =
        at::linear(features, weights_.at("projection.weight"), weights_.at("projection.bias"));
    if (projection_norm_) {
        a = at::layer_norm(a, {a.size(1)}, weights_.at("projection_norm.weight"),
                           weights_.at("projection_norm.bias"), 1e-5);
    }
    return a;
}

NaiveBeam::State NaiveBeam::start(const at::Tensor& features) const {
    const at::Tensor mean = annotations(features).mean(0, true);
    const auto mlp = [&](const std::string& name) {
        const at::Tensor inner = at::relu(at::linear(mean, weights_.at(name + ".inner.weight"),
                                                     weights_.at(name + ".inner.bias")));
        return at::tanh(at::linear(inner, weights_.at(name + ".outer.weight"),
                                   weights_.at(name + ".outer.bias")));
    };
    return {mlp("initial_hidden"), mlp("initial_cell")};
}

at::Tensor NaiveBeam::step(const at::Tensor& features, State& state, int word) const {
    const auto& w = weights_;
    const at::Tensor a = annotations(features);
    const at::Tensor keys =
        at::linear(a, w.at("attention.feature.weight"), w.at("attention.feature.bias"));
    const at::Tensor query = at::linear(state.hidden, w.at("attention.hidden.weight"));
    const at::Tensor scores = at::linear(at::tanh(keys + query), w.at("attention.score.weight"),
                                         w.at("attention.score.bias"));
    const at::Tensor alpha = at::softmax(scores.squeeze(1), 0);
    const at::Tensor beta =
        at::sigmoid(at::linear(state.hidden, w.at("gate.weight"), w.at("gate.bias")));
    const at::Tensor context = beta * at::mm(alpha.unsqueeze(0), a);

    const at::Tensor embedded = w.at("embedding.weight")[word].unsqueeze(0);
    const at::Tensor gates =
        at::linear(at::cat({embedded, context}, 1), w.at("lstm.weight_ih"), w.at("lstm.bias")) +
        at::linear(state.hidden, w.at("lstm.weight_hh"));
    const auto parts = gates.chunk(4, 1);
    state.cell = at::sigmoid(parts[1]) * state.cell + at::sigmoid(parts[0]) * at::tanh(parts[2]);
    state.hidden = at::sigmoid(parts[3]) * at::tanh(state.cell);

    at::Tensor deep = embedded + at::linear(state.hidden, w.at("output_hidden.weight")) +
                      at::linear(context, w.at("output_context.weight")) + w.at("output_bias");
    if (tanh_output_) {
        deep = at::tanh(deep);
    }
    return at::log_softmax(at::linear(deep, w.at("output.weight"), w.at("output.bias")), 1)
        .squeeze(0);
}

std::vector<int> NaiveBeam::describe(const vision::FeatureSet& set,
                                     const language::DecodingOptions& options) const {
    const c10::InferenceMode inference;
    const at::Tensor features = torch::from_blob(const_cast<float*>(set.vectors.data()),
                                                 {set.count, set.dimension}, torch::kFloat);
    const State first = start(features);
    std::vector<Hypothesis> beam{{{}, 0, first.hidden, first.cell}};
    std::vector<Hypothesis> finished;
    const auto rank = [&](const Hypothesis& h) {
        return h.log_probability /
               std::pow(static_cast<double>(h.words.size() + 1), options.length_exponent);
    };
    for (int length = 0; length <= options.maximum_length && !beam.empty(); ++length) {
        std::vector<Hypothesis> candidates;
        for (const auto& hypothesis : beam) {
            State state{hypothesis.hidden, hypothesis.cell};
            const int last =
                hypothesis.words.empty() ? vocabulary_.start() : hypothesis.words.back();
            const auto [values, order] = step(features, state, last).sort(0, true);
            int taken = 0;
            for (std::int64_t i = 0; i < order.size(0) && taken < options.beam; ++i) {
                const int word = static_cast<int>(order[i].item<std::int64_t>());
                const bool ends = word == vocabulary_.end();
                if (word == vocabulary_.pad() || word == vocabulary_.start() ||
                    (options.suppress_unknown && word == vocabulary_.unknown()) ||
                    (options.forbid_repeats && word == last) ||
                    (!ends && (length == options.maximum_length ||
                               repeats_ngram(hypothesis.words, word, options.block_ngrams)))) {
                    continue;
                }
                ++taken;
                Hypothesis next{hypothesis.words,
                                hypothesis.log_probability + values[i].item<double>(), state.hidden,
                                state.cell};
                if (ends) {
                    finished.push_back(next);
                } else {
                    next.words.push_back(word);
                    candidates.push_back(next);
                }
            }
        }
        std::sort(candidates.begin(), candidates.end(),
                  [](const Hypothesis& a, const Hypothesis& b) {
                      return a.log_probability > b.log_probability;
                  });
        candidates.resize(std::min<std::size_t>(candidates.size(), options.beam));
        beam = std::move(candidates);
        if (static_cast<int>(finished.size()) >= options.beam) {
            break;
        }
    }
    const auto& pool = finished.empty() ? beam : finished;
    return std::max_element(
               pool.begin(), pool.end(),
               [&](const Hypothesis& a, const Hypothesis& b) { return rank(a) < rank(b); })
        ->words;
}

}  // namespace seesay::bench
