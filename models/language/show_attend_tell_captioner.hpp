// Show-Attend-Tell with soft attention (Xu et al. 2015) for inference: folded once per model, the
// projection of a picture computed once, all hypotheses in one batch.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "models/language/captioner.hpp"
#include "models/language/step_kernels.hpp"

namespace seesay::language {

/// `model.json`, keys `sizes` and `options`.
struct ShowAttendTellShape {
    int features = 0;    ///< D
    int projection = 0;  ///< P; 0: none, the annotation vectors are the encoder's
    int attention = 0;   ///< A
    int hidden = 0;      ///< H
    int embedding = 0;   ///< E
    int vocabulary = 0;  ///< V
    bool projection_norm = true;
    bool tanh_output = false;  ///< deep output with tanh (the authors' code), else the paper's (7)
    bool tied_output = true;   ///< the output matrix is the embedding
    bool most_likely_place = false;  ///< look at the most likely place alone

    [[nodiscard]] int annotation() const { return projection > 0 ? projection : features; }
    /// Shape of every tensor of `weights.safetensors` by name; `[out, in]` for matrices.
    [[nodiscard]] std::map<std::string, std::vector<std::int64_t>> tensors() const;
};

/// Contiguous float32 values by tensor name, of the sizes that ShowAttendTellShape::tensors() says.
using TensorValues = std::map<std::string, std::vector<float>>;

/// Annotation vectors a_i = LayerNorm(W x_i + b); h_0, c_0 from their mean through two MLPs; then
/// per word: e_i = w·tanh(W_f a_i + b_f + W_h h) + c, α = softmax(e), ẑ = σ(g·h + b_g) Σ α_i a_i,
/// the LSTM on [E y; ẑ], and logits = W_o(E y + L_h h + L_z ẑ + b) + b_o (equations 1–7 and 9).
class ShowAttendTellCaptioner final : public Captioner {
 public:
    /// `values` must fit `shape` (captioner_package.hpp checks files). Folds E into the LSTM's
    /// input weights: a table `[V, 4H]`.
    ShowAttendTellCaptioner(CaptionerIdentity identity, Vocabulary vocabulary,
                            DecodingOptions decoding_defaults, const ShowAttendTellShape& shape,
                            const TensorValues& values);

    [[nodiscard]] std::unique_ptr<PreparedPictures> prepare(
        std::span<const vision::FeatureSet* const> features) const override;
    [[nodiscard]] std::unique_ptr<DecoderState> start(const PreparedPictures& prepared,
                                                      std::span<const int> pictures) const override;
    void select(DecoderState& state, std::span<const int> rows) const override;
    void step(const PreparedPictures& prepared, DecoderState& state, std::span<const int> tokens,
              StepOutput& output) const override;

 private:
    class Pictures;
    class State;
    /// Two layers: tanh(outer relu(inner mean)).
    struct InitialState {
        PackedMatrix inner;
        AlignedFloats inner_bias;
        PackedMatrix outer;
        AlignedFloats outer_bias;
    };

    void fold_words(const TensorValues& values);
    void pack_recurrence(const TensorValues& values);
    void pack_output(const TensorValues& values);
    void annotate(const vision::FeatureSet& features, float* annotations) const;
    void initial_state(const InitialState& layers, const float* mean, float* state) const;
    void attend(const Pictures& pictures, int picture, const float* query, float* attention,
                float* context) const;

    ShowAttendTellShape shape_;
    int annotation_;  ///< P, padded; likewise below
    int attention_;
    int hidden_;
    int embedding_;
    int words_;

    PackedMatrix projection_;
    AlignedFloats projection_bias_;
    AlignedFloats norm_weight_;
    AlignedFloats norm_bias_;
    InitialState initial_hidden_;
    InitialState initial_cell_;
    PackedMatrix place_;  ///< W_f
    AlignedFloats place_bias_;
    AlignedFloats score_;
    float score_bias_ = 0.F;
    float gate_bias_ = 0.F;

    PackedMatrix from_hidden_;    ///< of h_{t−1}: W_hh `[4H]`, attention query `[A]`, gate `[1]`
    PackedMatrix from_context_;   ///< of ẑ: LSTM input `[4H]`, L_z `[E]`
    PackedMatrix output_hidden_;  ///< L_h
    PackedMatrix output_;         ///< W_o
    AlignedFloats word_gates_;    ///< `[V, 4H]`: W_ih[:, :E] E y + b
    AlignedFloats word_output_;   ///< `[V, E]`: E y + b of the deep output
    AlignedFloats output_bias_;   ///< `[V]`
};

}  // namespace seesay::language
