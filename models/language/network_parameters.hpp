// Parameters of trainable networks under the dotted names that `weights.safetensors` has.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace seesay::language {

/// y = W x + b.
struct Affine {
    at::Tensor weight;  ///< `[out, in]`
    at::Tensor bias;    ///< `[out]`, or undefined

    /// `[…, in]` to `[…, out]`.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

/// An LSTM cell with one bias; gates i, f, g, o.
struct LstmCell {
    at::Tensor weight_ih;  ///< `[4H, in]`
    at::Tensor weight_hh;  ///< `[4H, H]`
    at::Tensor bias;       ///< `[4H]`

    /// `input` `[R, in]`; `hidden` and `cell` `[R, H]`, replaced by the next ones.
    void step(const at::Tensor& input, at::Tensor& hidden, at::Tensor& cell) const;
};

/// The LSTM cell with a max-out candidate of Rennie et al. 2017, §3: sigmoid gates i, f, o, then
/// the two halves of the candidate.
struct MaxoutCell {
    Affine input;   ///< `[5H, in]`
    Affine hidden;  ///< `[5H, H]`

    /// `to_candidate` `[R, 2H]` is added to the candidate before the maximum; it may be undefined.
    void step(const at::Tensor& x, const at::Tensor& to_candidate, at::Tensor& h,
              at::Tensor& c) const;
};

/// Whether new parameters get their random start or are about to be overwritten.
enum class Initialisation { Random, None };

/// Registers parameters with a module. The handles given stay valid when the module moves to
/// another device or type.
class ParameterMaker {
 public:
    ParameterMaker(torch::nn::Module& module, Initialisation initialisation)
        : module_(module), initialisation_(initialisation) {}

    /// `scope.weight` from U(−1/√in, 1/√in) and `scope.bias` zero.
    Affine affine(const std::string& scope, std::int64_t out, std::int64_t in, bool bias = true);
    /// The same, the weight by Glorot and Bengio's rule.
    Affine glorot(const std::string& scope, std::int64_t out, std::int64_t in);
    /// `scope.weight` `[words, width]` from U(−0.1, 0.1).
    at::Tensor embedding(const std::string& scope, std::int64_t words, std::int64_t width);
    /// `scope.weight_ih` from U(−1/√H, 1/√H), `scope.weight_hh` orthogonal in each gate,
    /// `scope.bias` zero.
    LstmCell lstm(const std::string& scope, std::int64_t in, std::int64_t hidden);
    /// `scope.input` and `scope.hidden`, as affine().
    MaxoutCell maxout(const std::string& scope, std::int64_t in, std::int64_t hidden);
    /// `scope.name`, the same value everywhere.
    at::Tensor constant(const std::string& scope, const std::string& name, std::int64_t size,
                        double value);

 private:
    at::Tensor uniform(const std::string& scope, const std::string& name,
                       const std::vector<std::int64_t>& shape, double bound);

    torch::nn::Module& module_;
    Initialisation initialisation_;
};

}  // namespace seesay::language
