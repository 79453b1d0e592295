// CaptionNetwork: a captioning network of LibTorch tensors, for training and for inference where
// no hand-written path exists.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/language/packed_captions.hpp"

namespace seesay::language {

/// Probabilities of dropout while training. Which of them a network knows, its header says; the
/// others have no place in it and must be 0.
struct NetworkDropout {
    double features = 0.0;   ///< on the encoder's vectors
    double embedding = 0.5;  ///< on the previous word's vector where the recurrence reads it
    double hidden = 0.5;     ///< on the state before the output
    double output = 0.5;     ///< on a deep output before the vocabulary product
    double words = 0.0;      ///< a whole previous word replaced by <unk>
};

/// The encoder's vectors of B pictures.
struct PictureVectors {
    at::Tensor vectors;  ///< `[B, L, D]`; what stands in absent places does not matter
    at::Tensor present;  ///< `[B, L] bool`; undefined: all are
};

/// What one step gives for R hypotheses.
struct NetworkStep {
    at::Tensor logits;     ///< `[R, V]`
    at::Tensor attention;  ///< `[R, L]`, absent places exactly 0; undefined: the network has none
};

/// Options of teacher forcing.
struct ForcingOptions {
    /// Probability that an input is the word the network itself would draw next, not the caption's
    /// (Bengio et al. 2015).
    double scheduled_sampling = 0.0;
    /// Hard attention: the probability that a caption looks at one drawn place a step; else it
    /// looks at the expectation over the places (Xu et al. 2015, §4.1).
    double drawn_places = 0.0;
    /// Hard attention: the places to look at, `[S] int64`, −1 for the expectation, instead of
    /// drawing; undefined: draw.
    at::Tensor places;
};

/// A network works in float32 and float64, and on any device that its parameters are on. Dropout
/// only in training mode. Parameter names are those of `weights.safetensors`.
class CaptionNetwork : public torch::nn::Module {
 public:
    using Tensors = std::vector<at::Tensor>;

    /// What does not change from word to word; the first dimension of each tensor is B.
    virtual Tensors prepare(const PictureVectors& pictures) = 0;

    /// The state before the first word. `rows`: what prepare() gave, one picture a hypothesis (the
    /// first dimension is R). The first dimension of each tensor of the state is R too.
    virtual Tensors start(const Tensors& rows) = 0;

    /// Feeds `tokens` `[R] int64` and replaces the state.
    virtual NetworkStep step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) = 0;

    /// Teacher forcing: step() by step() unless a network has something faster.
    virtual TeacherForcing forward(const PictureVectors& pictures, const PackedCaptions& captions,
                                   const ForcingOptions& options = {});

    /// True if steps give attention.
    [[nodiscard]] virtual bool attends() const = 0;
    /// True if ForcingOptions::drawn_places and ::places mean something to the network.
    [[nodiscard]] virtual bool draws_places() const { return false; }
    [[nodiscard]] virtual std::string architecture() const = 0;     ///< as in model.json
    [[nodiscard]] virtual nlohmann::json sizes_json() const = 0;    ///< `sizes` of model.json
    [[nodiscard]] virtual nlohmann::json options_json() const = 0;  ///< `options` of model.json
    [[nodiscard]] virtual std::int64_t features() const = 0;        ///< D
    [[nodiscard]] virtual std::int64_t vocabulary() const = 0;      ///< V

 protected:
    CaptionNetwork(const NetworkDropout& dropout, std::int64_t unknown_token);

    [[nodiscard]] const NetworkDropout& dropout() const { return dropout_; }
    /// Dropout in training mode.
    [[nodiscard]] at::Tensor drop(const at::Tensor& value, double probability) const;
    /// Previous words with some replaced by <unk>, in training mode.
    [[nodiscard]] at::Tensor hide_words(const at::Tensor& inputs) const;
    /// The stepwise forward().
    [[nodiscard]] TeacherForcing forward_stepwise(const PictureVectors& pictures,
                                                  const PackedCaptions& captions,
                                                  const ForcingOptions& options);

 private:
    NetworkDropout dropout_;
    std::int64_t unknown_token_;
};

/// What keeps absent places out of a softmax: `[B, L]` of 0 where a vector is present and −∞ where
/// not, of the vectors' type.
at::Tensor absence_penalty(const PictureVectors& pictures);

/// The mean of the vectors that are present: `[B, D]`.
at::Tensor mean_vector(const PictureVectors& pictures);

/// `softmax(score · tanh(projected + query) + bias + penalty)` (Bahdanau et al. 2015): `projected`
/// `[R, L, A]`, `query` `[R, A]`, `score` `[1, A]`, `penalty` `[R, L]`. Gives `[R, L]`.
at::Tensor additive_attention(const at::Tensor& projected, const at::Tensor& query,
                              const at::Tensor& score, const at::Tensor& penalty);

/// Σ_i α_i a_i: `attention` `[R, L]` over `vectors` `[R, L, P]` gives `[R, P]`.
at::Tensor attended_vector(const at::Tensor& attention, const at::Tensor& vectors);

}  // namespace seesay::language
