// Up-Down: top-down attention over region or grid vectors with two LSTMs (Anderson et al. 2018).
#pragma once

#include "models/language/caption_network.hpp"
#include "models/language/network_parameters.hpp"

namespace seesay::language {

/// Sizes and options, as `model.json` states them. The defaults are the paper's flavour; the
/// flavour of the public PyTorch checkpoints has `embedded` and `attention_bias` true.
struct UpDownSizes {
    std::int64_t features = 2048;   ///< D
    std::int64_t embedding = 1000;  ///< E
    std::int64_t hidden = 1000;     ///< H
    std::int64_t attention = 512;   ///< A
    std::int64_t vocabulary = 0;    ///< V
    /// Words, vectors and their mean go through ReLU(W x + b), the latter two to H; attention then
    /// is over the embedded vectors. False: over the encoder's own.
    bool embedded = false;
    bool attention_bias = false;  ///< of the three maps of the attention network

    [[nodiscard]] std::int64_t attended() const { return embedded ? hidden : features; }
};

/// Per word (equations 1 to 7): x¹ = [h²; v̄; W_e Π], h¹ = LSTM(x¹); a_i = w·tanh(W_v v_i + W_h h¹),
/// α = softmax(a), v̂ = Σ α_i v_i; x² = [v̂; h¹], h² = LSTM(x²); logits = W_p h² + b_p. All states
/// start at zero. Dropout: `features` on the vectors (after their embedding), `embedding` on the
/// word's vector, `hidden` on h² before the output.
class UpDown final : public CaptionNetwork {
 public:
    UpDown(const UpDownSizes& sizes, const NetworkDropout& dropout, std::int64_t unknown_token,
           Initialisation initialisation = Initialisation::Random);

    Tensors prepare(const PictureVectors& pictures) override;
    Tensors start(const Tensors& rows) override;
    NetworkStep step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) override;
    [[nodiscard]] bool attends() const override { return true; }
    [[nodiscard]] std::string architecture() const override { return "up-down"; }
    [[nodiscard]] nlohmann::json sizes_json() const override;
    [[nodiscard]] nlohmann::json options_json() const override;
    [[nodiscard]] std::int64_t features() const override { return sizes_.features; }
    [[nodiscard]] std::int64_t vocabulary() const override { return sizes_.vocabulary; }

 private:
    UpDownSizes sizes_;
    at::Tensor words_;
    Affine feature_embedding_;
    Affine mean_embedding_;
    LstmCell attention_lstm_;
    LstmCell language_lstm_;
    Affine place_;
    Affine query_;
    Affine score_;
    Affine output_;
};

}  // namespace seesay::language
