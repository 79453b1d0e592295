// Show-Attend-Tell (Xu et al. 2015) with soft or hard attention: the paper's network, and what the
// public checkpoints do otherwise.
#pragma once

#include "models/language/caption_network.hpp"
#include "models/language/network_parameters.hpp"

namespace seesay::language {

/// Sizes and options, as `model.json` states them (keys `sizes` and `options`). The defaults are
/// the paper's flavour.
struct ShowAttendTellSizes {
    std::int64_t features = 1280;  ///< D: what the encoder gives
    std::int64_t projection =
        512;  ///< P: of the learned projection; 0: none, a_i are the encoder's vectors
    std::int64_t attention = 256;  ///< A
    std::int64_t hidden = 512;     ///< H
    std::int64_t embedding = 512;  ///< E
    std::int64_t vocabulary = 0;   ///< V
    bool projection_norm = true;   ///< LayerNorm after the projection
    bool tied_output = true;       ///< the output matrix is the embedding
    bool tanh_output =
        false;  ///< deep output with tanh (the authors' code) or without (the paper, equation 7)
    bool deep_output = true;      ///< false: logits = W_o h_t + b_o
    bool relu_attention = false;  ///< ReLU in the attention network instead of tanh
    bool second_layer = false;    ///< of the attention network on W_f a_i + b_f (the authors' code)
    bool linear_start = false;    ///< h_0 and c_0 by one map of the mean, without tanh
    bool gate_vector = false;     ///< β gates each component of the context by itself
    /// A step looks at the most likely place alone; false: at the expectation over the places.
    bool most_likely_place = false;

    [[nodiscard]] std::int64_t annotation() const { return projection > 0 ? projection : features; }
    /// Columns of the output matrix.
    [[nodiscard]] std::int64_t deep() const { return deep_output ? embedding : hidden; }
    /// True where nothing but the paper's or the authors' output layer differs from the paper: what
    /// the hand-written steps can do.
    [[nodiscard]] bool is_papers() const {
        return deep_output && !relu_attention && !second_layer && !linear_start && !gate_vector;
    }
};

/// Annotation vectors a_i = LayerNorm(W x_i + b); h_0 and c_0 from their mean through two MLPs; per
/// word e_i = w·tanh(W_f a_i + b_f + W_h h) + c, α = softmax(e), ẑ = σ(g·h + b_g) Σ α_i a_i, the
/// LSTM on [E y; ẑ], and logits = W_o(E y + L_h h + L_z ẑ + b) + b_o (equations 1–7 and 9).
/// Dropout: `features` on the encoder's vectors, `embedding`, `hidden`, `output`, `words`.
class ShowAttendTell final : public CaptionNetwork {
 public:
    ShowAttendTell(const ShowAttendTellSizes& sizes, const NetworkDropout& dropout,
                   std::int64_t unknown_token,
                   Initialisation initialisation = Initialisation::Random);

    Tensors prepare(const PictureVectors& pictures) override;
    Tensors start(const Tensors& rows) override;
    NetworkStep step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) override;
    /// With soft attention over grids the recurrence runs with its gradient written out.
    TeacherForcing forward(const PictureVectors& pictures, const PackedCaptions& captions,
                           const ForcingOptions& options = {}) override;
    [[nodiscard]] bool attends() const override { return true; }
    [[nodiscard]] bool draws_places() const override { return true; }
    [[nodiscard]] std::string architecture() const override { return "show-attend-tell"; }
    [[nodiscard]] nlohmann::json sizes_json() const override;
    [[nodiscard]] nlohmann::json options_json() const override;
    [[nodiscard]] std::int64_t features() const override { return sizes_.features; }
    [[nodiscard]] std::int64_t vocabulary() const override { return sizes_.vocabulary; }

    [[nodiscard]] const ShowAttendTellSizes& sizes() const { return sizes_; }

 private:
    /// Two layers, or the outer one alone.
    struct InitialState {
        Affine inner;
        Affine outer;
    };

    [[nodiscard]] at::Tensor annotation_vectors(const at::Tensor& features) const;
    [[nodiscard]] at::Tensor keys(const at::Tensor& annotations) const;
    [[nodiscard]] at::Tensor initial_state(const InitialState& layers,
                                           const at::Tensor& mean) const;
    [[nodiscard]] at::Tensor logits(const at::Tensor& words, const at::Tensor& hidden,
                                    const at::Tensor& context) const;
    [[nodiscard]] TeacherForcing forward_fused(const at::Tensor& features,
                                               const PackedCaptions& captions) const;
    [[nodiscard]] TeacherForcing forward_located(const PictureVectors& pictures,
                                                 const PackedCaptions& captions,
                                                 const ForcingOptions& options);
    [[nodiscard]] at::Tensor attention_of(const Tensors& rows, const at::Tensor& hidden) const;
    /// One step with these weights of the places; gives the logits.
    [[nodiscard]] at::Tensor read(const Tensors& rows, Tensors& state, const at::Tensor& tokens,
                                  const at::Tensor& weights) const;

    ShowAttendTellSizes sizes_;
    Affine projection_;
    at::Tensor norm_weight_;
    at::Tensor norm_bias_;
    InitialState initial_hidden_;
    InitialState initial_cell_;
    Affine place_;
    Affine second_place_;
    Affine query_;
    Affine score_;
    Affine gate_;
    at::Tensor words_;
    LstmCell lstm_;
    Affine output_hidden_;
    Affine output_context_;
    at::Tensor output_bias_;
    Affine output_;
};

}  // namespace seesay::language
