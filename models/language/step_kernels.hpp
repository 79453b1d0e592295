// The arithmetic of one decoding step, written for a handful of rows: where matrices are read once
// for a few hypotheses, a general BLAS spends its time on packing and LibTorch on dispatch.
//
// All pointers are 64-byte aligned and all widths are multiples of kLanes, zero beyond the true
// size. Each output is summed in one fixed order: it does not depend on how many rows are computed
// together nor on the number of threads.
#pragma once

#include <vector>

#include "models/language/aligned_floats.hpp"

namespace seesay::language {

/// One set of kernels for one kind of processor.
struct StepKernels {
    const char* name;

    /// Columns `first`…`last` (in panels of kLanes outputs) of `y = x Wᵀ` for `rows` rows.
    /// `panels` holds W as `[outputs / kLanes, inputs, kLanes]`.
    void (*product)(const float* panels, int inputs, int first, int last, const float* x,
                    int x_stride, int rows, float* y, int y_stride);
    /// `energies[i] = bias + Σ_a score[a] · tanh(projected[i, a] + query[a])`, `places` of them.
    void (*attention_energies)(const float* projected, int places, int width, const float* query,
                               const float* score, float bias, float* energies);
    /// softmax of `count` values in place; `values` has room for padded(count).
    void (*softmax)(float* values, int count);
    /// `sum[p] = scale · Σ_i weights[i] · vectors[i, p]`.
    void (*weighted_sum)(const float* vectors, int places, int width, const float* weights,
                         float scale, float* sum);
    /// One LSTM cell. Pre-activations are `a + b + c`, each `[4, width]` in gate order i, f, g, o.
    /// Updates `cell` and `hidden` in place.
    void (*lstm)(const float* a, const float* b, const float* c, int width, float* cell,
                 float* hidden);
    /// tanh in place.
    void (*tanh)(float* values, int width);
    /// log Σ exp(logits[i]) over `count` values; NaN if any of them is NaN or infinite.
    float (*log_normaliser)(const float* logits, int count);
};

/// The kernels for this processor.
const StepKernels& step_kernels();

/// Every set that this processor can run, the plainest first.
std::vector<const StepKernels*> runnable_step_kernels();

/// The logistic function.
float sigmoid(float x);

/// A weight matrix laid out for StepKernels::product.
class PackedMatrix {
 public:
    PackedMatrix() = default;
    /// `[outputs, inputs]` of zeros, to be filled by `set_rows`.
    PackedMatrix(int outputs, int inputs);

    /// Copies `rows` rows of `row_stride` floats each (`columns` of them used) to outputs
    /// `first_output`….
    void set_rows(int first_output, const float* weights, int rows, int columns, int row_stride);

    /// `y = x Wᵀ`; `x` `[rows, inputs()]` and `y` `[rows, outputs()]` with the given strides. Runs
    /// on the calling thread's OpenMP team.
    void multiply(const float* x, int x_stride, int rows, float* y, int y_stride) const;

    [[nodiscard]] int outputs() const { return outputs_; }  ///< padded
    [[nodiscard]] int inputs() const { return inputs_; }    ///< padded

 private:
    int outputs_ = 0;
    int inputs_ = 0;
    AlignedFloats panels_;
};

}  // namespace seesay::language
