// NIC, "Show and Tell": the picture is the first thing an LSTM reads (Vinyals et al. 2015). No
// attention.
#pragma once

#include "models/language/caption_network.hpp"
#include "models/language/network_parameters.hpp"

namespace seesay::language {

/// Sizes and options, as `model.json` states them. `maxout` is the cell of the public PyTorch
/// checkpoints ("NewFC").
struct NicSizes {
    std::int64_t features = 2048;  ///< D
    std::int64_t embedding = 512;  ///< E
    std::int64_t hidden = 512;     ///< H
    std::int64_t vocabulary = 0;   ///< V
    bool maxout = false;           ///< the cell of Rennie et al. instead of an LSTM's
    bool tied_output = false;      ///< the output matrix is the embedding; needs E = H
};

/// x_{−1} = W_i v̄ + b_i with v̄ the mean of the vectors, x_t = W_e Π_t; h_t = LSTM(x_t, h_{t−1});
/// logits = W_p h_t + b_p (equations 10 to 12). Dropout: `features` on v̄, `embedding` on x_t,
/// `hidden` on h_t before the output.
class Nic final : public CaptionNetwork {
 public:
    Nic(const NicSizes& sizes, const NetworkDropout& dropout, std::int64_t unknown_token,
        Initialisation initialisation = Initialisation::Random);

    Tensors prepare(const PictureVectors& pictures) override;
    Tensors start(const Tensors& rows) override;
    NetworkStep step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) override;
    [[nodiscard]] bool attends() const override { return false; }
    [[nodiscard]] std::string architecture() const override { return "nic"; }
    [[nodiscard]] nlohmann::json sizes_json() const override;
    [[nodiscard]] nlohmann::json options_json() const override;
    [[nodiscard]] std::int64_t features() const override { return sizes_.features; }
    [[nodiscard]] std::int64_t vocabulary() const override { return sizes_.vocabulary; }

 private:
    void read(const at::Tensor& input, Tensors& state) const;

    NicSizes sizes_;
    at::Tensor words_;
    Affine picture_;
    LstmCell lstm_;
    MaxoutCell maxout_;
    Affine output_;
};

}  // namespace seesay::language
