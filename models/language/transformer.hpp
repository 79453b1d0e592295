// Transformer encoder-decoder over picture vectors (Vaswani et al. 2017), with a key/value cache.
#pragma once

#include "models/language/caption_network.hpp"
#include "models/language/network_parameters.hpp"

namespace seesay::language {

/// Sizes and options, as `model.json` states them. The defaults are the paper's base model; the
/// flavour of the public PyTorch checkpoints has `pre_norm` and `unbiased_norm` true and
/// `tied_output` false.
struct TransformerSizes {
    std::int64_t features = 2048;  ///< D
    std::int64_t width = 512;      ///< d, a multiple of `heads`
    std::int64_t heads = 8;
    std::int64_t feed_forward = 2048;
    std::int64_t encoder_layers = 6;
    std::int64_t decoder_layers = 6;
    std::int64_t vocabulary = 0;  ///< V
    bool pre_norm = false;        ///< x + f(norm(x)) and a last norm; false: norm(x + f(x))
    bool unbiased_norm = false;  ///< (x − mean) / (σ̂ + 1e-6), σ̂ of n − 1; false: LayerNorm, ε 1e-5
    bool tied_output = true;  ///< the output matrix is the embedding
};

/// Vectors go through ReLU(W x + b) to d, without positions; words through √d·E plus sinusoids.
/// Attention given: the mean over the heads of the last layer's attention over the picture.
/// Dropout: `features` on the embedded vectors, `embedding` on the words with their positions,
/// `hidden` on the output of every sub-layer, on attention weights and inside feed-forward layers.
class Transformer final : public CaptionNetwork {
 public:
    Transformer(const TransformerSizes& sizes, const NetworkDropout& dropout,
                std::int64_t unknown_token, Initialisation initialisation = Initialisation::Random);

    Tensors prepare(const PictureVectors& pictures) override;
    Tensors start(const Tensors& rows) override;
    NetworkStep step(const Tensors& rows, Tensors& state, const at::Tensor& tokens) override;
    /// All steps at once; step by step where the network's own words are to be fed.
    TeacherForcing forward(const PictureVectors& pictures, const PackedCaptions& captions,
                           const ForcingOptions& options) override;
    [[nodiscard]] bool attends() const override { return true; }
    [[nodiscard]] std::string architecture() const override { return "transformer"; }
    [[nodiscard]] nlohmann::json sizes_json() const override;
    [[nodiscard]] nlohmann::json options_json() const override;
    [[nodiscard]] std::int64_t features() const override { return sizes_.features; }
    [[nodiscard]] std::int64_t vocabulary() const override { return sizes_.vocabulary; }

 private:
    struct Norm {
        at::Tensor weight;
        at::Tensor bias;
    };
    struct Attention {
        Affine query, key, value, output;
        Norm norm;
    };
    struct FeedForward {
        Affine inner, outer;
        Norm norm;
    };
    struct EncoderLayer {
        Attention own;
        FeedForward feed_forward;
    };
    struct DecoderLayer {
        Attention own;
        Attention picture;
        FeedForward feed_forward;
    };
    struct Attended {
        at::Tensor value;    ///< `[N, T, d]`
        at::Tensor weights;  ///< `[N, heads, T, L]`, before dropout
    };

    [[nodiscard]] Norm make_norm(ParameterMaker& make, const std::string& scope) const;
    [[nodiscard]] Attention make_attention(ParameterMaker& make, const std::string& scope) const;
    [[nodiscard]] FeedForward make_feed_forward(ParameterMaker& make,
                                                const std::string& scope) const;
    [[nodiscard]] at::Tensor normed(const Norm& norm, const at::Tensor& x) const;
    [[nodiscard]] at::Tensor heads_of(const at::Tensor& x) const;
    [[nodiscard]] Attended attend(const Attention& attention, const at::Tensor& query,
                                  const at::Tensor& keys, const at::Tensor& values,
                                  const at::Tensor& penalty) const;
    /// A sub-layer with its norm and residual.
    template <typename Function>
    [[nodiscard]] at::Tensor residual(const Norm& norm, const at::Tensor& x,
                                      const Function& function) const;
    [[nodiscard]] at::Tensor fed_forward(const FeedForward& layer, const at::Tensor& x) const;
    [[nodiscard]] at::Tensor embedded(const at::Tensor& tokens, std::int64_t first) const;
    /// Positions from `first` on, after all layers. `state` is replaced by the keys and values of
    /// all positions so far.
    [[nodiscard]] at::Tensor decode(const Tensors& rows, Tensors& state, const at::Tensor& tokens,
                                    const at::Tensor& own_penalty, at::Tensor& attention) const;

    TransformerSizes sizes_;
    Affine feature_embedding_;
    at::Tensor words_;
    std::vector<EncoderLayer> encoder_;
    std::vector<DecoderLayer> decoder_;
    Norm encoder_norm_;
    Norm decoder_norm_;
    Affine output_;
};

}  // namespace seesay::language
