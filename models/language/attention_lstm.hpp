// The recurrent core of Show-Attend-Tell over packed captions, with its gradient written out.
//
// Teacher forcing needs every step's attention and cell, one after the other; everything that does
// not depend on the step before (embeddings, output layer) stays outside as large matrix products.
// Writing the gradient out turns the weight gradients of all steps into one product each and keeps
// the annotation vectors' gradients in place.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace seesay::language {

/// Inputs of the recurrence. R captions sorted by falling length; step t runs the first `rows[t]`
/// of them; packed tensors hold the rows of step 0, then of step 1, and so on (S rows in all).
struct AttentionLstmInputs {
    at::Tensor annotations;  ///< `[B, L, P]` a_i of B pictures
    at::Tensor projected;    ///< `[B, L, A]` W_f a_i + b_f
    at::Tensor input_gates;  ///< `[S, 4H]` packed W_ih[:, :E] E y_{t−1} + b; gates i, f, g, o
    at::Tensor hidden;       ///< `[R, H]` h_0
    at::Tensor cell;         ///< `[R, H]` c_0
    at::Tensor recurrent_weight;     ///< `[4H, H]` W_hh
    at::Tensor context_weight;       ///< `[4H, P]` W_ih[:, E:]
    at::Tensor query_weight;         ///< `[A, H]` W_h
    at::Tensor score_weight;         ///< `[A]` w
    at::Tensor gate_weight;          ///< `[1, H]`
    at::Tensor gate_bias;            ///< `[1]`
    at::Tensor pictures;             ///< `[R] int64` which picture a caption describes
    std::vector<std::int64_t> rows;  ///< rows of each step, falling
};

/// Outputs, packed: hidden states `[S, H]`, gated contexts ẑ `[S, P]`, attention α `[S, L]`.
struct AttentionLstmOutputs {
    at::Tensor hidden;
    at::Tensor context;
    at::Tensor attention;
};

/// Runs the recurrence (Xu et al. 2015, §3.1.2, equations 4–6 and 9, gate β of §4.2.1).
/// Differentiable in all floating inputs. float32 or float64.
AttentionLstmOutputs attention_lstm(const AttentionLstmInputs& inputs);

}  // namespace seesay::language
