// Show-Attend-Tell with soft attention (Xu et al. 2015) as a trainable network, teacher forcing
// over packed captions.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace seesay::language {

/// Sizes and options, as `model.json` states them (keys `sizes` and `options`).
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

    [[nodiscard]] std::int64_t annotation() const { return projection > 0 ? projection : features; }
    [[nodiscard]] nlohmann::json sizes_json() const;
    [[nodiscard]] nlohmann::json options_json() const;
    /// Back from both; they must be those of a package that load_captioner() takes.
    static ShowAttendTellSizes from_json(const nlohmann::json& sizes,
                                         const nlohmann::json& options);
};

/// Probabilities of dropout while training.
struct ShowAttendTellDropout {
    double features = 0.0;   ///< on the encoder's vectors
    double embedding = 0.5;  ///< on the previous word's vector where the LSTM reads it
    double hidden = 0.5;     ///< on h_t before the output
    double output = 0.5;     ///< on the deep output before the vocabulary product
    double words = 0.0;      ///< a whole previous word replaced by <unk>
};

/// Captions packed for teacher forcing: sorted by falling length, the rows of step 0, then of step
/// 1, and so on. S = Σ rows; R captions; B pictures.
struct PackedCaptions {
    at::Tensor inputs;    ///< `[S] int64` previous words, the first <start>
    at::Tensor targets;   ///< `[S] int64` words to predict, the last <end>
    at::Tensor caption;   ///< `[S] int64` which caption (0…R−1, sorted order) a row belongs to
    at::Tensor pictures;  ///< `[R] int64` which picture (0…B−1) a caption describes
    std::vector<std::int64_t> rows;  ///< rows of each step
    std::vector<std::size_t> order;  ///< caption r (sorted) was given as number order[r]
};

/// Packs token ids (without start and end) of `captions[r]`, which describe picture `pictures[r]`.
/// Captions longer than `maximum_length` words are cut and lose their end token: nothing says that
/// they ended there.
PackedCaptions pack_captions(const std::vector<std::vector<std::int64_t>>& captions,
                             const std::vector<std::int64_t>& pictures, std::int64_t start,
                             std::int64_t end, std::int64_t maximum_length);

/// What teacher forcing gives for packed captions.
struct TeacherForcing {
    at::Tensor logits;     ///< `[S, V]`
    at::Tensor attention;  ///< `[S, L]`
};

/// The network. Parameter names are those of `weights.safetensors`. Works in float32 and float64.
class ShowAttendTellImpl : public torch::nn::Module {
 public:
    ShowAttendTellImpl(const ShowAttendTellSizes& sizes, const ShowAttendTellDropout& dropout,
                       std::int64_t unknown_token);

    /// `features` `[B, L, D]`. Dropout only in training mode.
    TeacherForcing forward(const at::Tensor& features, const PackedCaptions& captions);

    [[nodiscard]] const ShowAttendTellSizes& sizes() const { return sizes_; }

 private:
    at::Tensor annotation_vectors(const at::Tensor& features);
    at::Tensor initial_state(const std::string& name, const at::Tensor& mean);
    at::Tensor drop(const at::Tensor& value, double probability) const;

    ShowAttendTellSizes sizes_;
    ShowAttendTellDropout dropout_;
    std::int64_t unknown_token_;
};
TORCH_MODULE(ShowAttendTell);

/// The doubly stochastic term (Xu et al. 2015, equation 14): the mean over captions of Σ_i (1 − Σ_t
/// α_ti)². Scalar.
at::Tensor doubly_stochastic_term(const at::Tensor& attention, const PackedCaptions& captions);

}  // namespace seesay::language
