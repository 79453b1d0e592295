// Module trees that spell dotted names, and the cells made of them.
#include "models/language/network_parameters.hpp"

#include <torch/torch.h>

#include <cmath>

namespace seesay::language {
namespace {

struct Scope : torch::nn::Module {};

// Registers `value` as `scope.name`: one module for each part of the scope, made where missing.
at::Tensor register_scoped(torch::nn::Module& module, const std::string& scope,
                           const std::string& name, at::Tensor value) {
    if (scope.empty()) {
        return module.register_parameter(name, std::move(value));
    }
    const auto dot = scope.find('.');
    const std::string first = scope.substr(0, dot);
    const auto children = module.named_children();
    const auto* found = children.find(first);
    const auto child =
        found != nullptr ? *found : module.register_module(first, std::make_shared<Scope>());
    return register_scoped(*child, dot == std::string::npos ? "" : scope.substr(dot + 1), name,
                           std::move(value));
}

}  // namespace

at::Tensor Affine::operator()(const at::Tensor& x) const {
    return at::linear(x, weight, bias);
}

void LstmCell::step(const at::Tensor& input, at::Tensor& hidden, at::Tensor& cell) const {
    const auto gates =
        (at::linear(input, weight_ih, bias) + at::linear(hidden, weight_hh)).chunk(4, 1);
    cell = at::sigmoid(gates[1]) * cell + at::sigmoid(gates[0]) * at::tanh(gates[2]);
    hidden = at::sigmoid(gates[3]) * at::tanh(cell);
}

void MaxoutCell::step(const at::Tensor& x, const at::Tensor& to_candidate, at::Tensor& h,
                      at::Tensor& c) const {
    const std::int64_t size = h.size(1);
    const at::Tensor sums = input(x) + hidden(h);
    const auto gates = at::sigmoid(sums.narrow(1, 0, 3 * size)).chunk(3, 1);
    at::Tensor candidate = sums.narrow(1, 3 * size, 2 * size);
    if (to_candidate.defined()) {
        candidate = candidate + to_candidate;
    }
    const at::Tensor largest =
        at::maximum(candidate.narrow(1, 0, size), candidate.narrow(1, size, size));
    c = gates[1] * c + gates[0] * largest;
    h = gates[2] * at::tanh(c);
}

at::Tensor ParameterMaker::uniform(const std::string& scope, const std::string& name,
                                   const std::vector<std::int64_t>& shape, double bound) {
    at::Tensor value = torch::empty(shape);
    if (initialisation_ == Initialisation::Random) {
        value.uniform_(-bound, bound);
    }
    return register_scoped(module_, scope, name, value);
}

at::Tensor ParameterMaker::constant(const std::string& scope, const std::string& name,
                                    std::int64_t size, double value) {
    return register_scoped(module_, scope, name, torch::full({size}, value, at::kFloat));
}

Affine ParameterMaker::affine(const std::string& scope, std::int64_t out, std::int64_t in,
                              bool bias) {
    Affine affine;
    affine.weight = uniform(scope, "weight", {out, in}, 1.0 / std::sqrt(static_cast<double>(in)));
    if (bias) {
        affine.bias = constant(scope, "bias", out, 0);
    }
    return affine;
}

Affine ParameterMaker::glorot(const std::string& scope, std::int64_t out, std::int64_t in) {
    return {uniform(scope, "weight", {out, in}, std::sqrt(6.0 / static_cast<double>(in + out))),
            constant(scope, "bias", out, 0)};
}

at::Tensor ParameterMaker::embedding(const std::string& scope, std::int64_t words,
                                     std::int64_t width) {
    return uniform(scope, "weight", {words, width}, 0.1);
}

LstmCell ParameterMaker::lstm(const std::string& scope, std::int64_t in, std::int64_t hidden) {
    LstmCell cell;
    cell.weight_ih =
        uniform(scope, "weight_ih", {4 * hidden, in}, 1.0 / std::sqrt(static_cast<double>(hidden)));
    at::Tensor recurrent = torch::empty({4 * hidden, hidden});
    if (initialisation_ == Initialisation::Random) {
        for (at::Tensor& gate : recurrent.chunk(4)) {
            torch::nn::init::orthogonal_(gate);
        }
    }
    cell.weight_hh = register_scoped(module_, scope, "weight_hh", recurrent);
    cell.bias = constant(scope, "bias", 4 * hidden, 0);
    return cell;
}

MaxoutCell ParameterMaker::maxout(const std::string& scope, std::int64_t in, std::int64_t hidden) {
    return {affine(scope + ".input", 5 * hidden, in),
            affine(scope + ".hidden", 5 * hidden, hidden)};
}

}  // namespace seesay::language
