// Att2in: attention that reaches only the cell of a max-out LSTM (Rennie et al. 2017, §3).
#pragma once

#include "models/language/caption_network.hpp"
#include "models/language/network_parameters.hpp"

namespace seesay::language {

/// Sizes and options, as `model.json` states them. `embedded` is the variant Att2in2 of the public
/// PyTorch checkpoints.
struct Att2inSizes {
    std::int64_t features = 2048;  ///< D
    std::int64_t embedding = 512;  ///< E
    std::int64_t hidden = 512;     ///< H
    std::int64_t attention = 512;  ///< A
    std::int64_t vocabulary = 0;   ///< V
    bool embedded = false;  ///< words and vectors go through ReLU, the vectors through an own map

    [[nodiscard]] std::int64_t attended() const { return embedded ? hidden : features; }
};

/// Per word: α = softmax(w·tanh(W_a a_i + W_h h_{t−1} + b)), ẑ = Σ α_i a_i; gates i, f, o from the
/// word and h_{t−1}; the candidate is the maximum of two maps of word, h_{t−1} and ẑ. The state
/// starts at zero. Dropout: `features` on the embedded vectors, `embedding` on the word's vector,
/// `hidden` on h_t before the output.
class Att2in final : public CaptionNetwork {
 public:
    Att2in(const Att2inSizes& sizes, const NetworkDropout& dropout, std::int64_t unknown_token,
           Initialisation initialisation = Initialisation::Random);

    Tensors prepare(const PictureVectors& pictures) override;
    Tensors start(const Tensors& rows) override;
    NetworkStep step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) override;
    [[nodiscard]] bool attends() const override { return true; }
    [[nodiscard]] std::string architecture() const override { return "att2in"; }
    [[nodiscard]] nlohmann::json sizes_json() const override;
    [[nodiscard]] nlohmann::json options_json() const override;
    [[nodiscard]] std::int64_t features() const override { return sizes_.features; }
    [[nodiscard]] std::int64_t vocabulary() const override { return sizes_.vocabulary; }

 private:
    Att2inSizes sizes_;
    at::Tensor words_;
    Affine feature_embedding_;
    Affine place_;
    Affine query_;
    Affine score_;
    MaxoutCell lstm_;
    Affine candidate_;
    Affine output_;
};

}  // namespace seesay::language
