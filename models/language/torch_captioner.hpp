// A Captioner over any CaptionNetwork.
#pragma once

#include <memory>

#include "models/language/caption_network.hpp"
#include "models/language/captioner.hpp"

namespace seesay::language {

/// Steps through a network of LibTorch tensors in float32 on the CPU. Pictures of a batch are
/// padded to the longest; a picture's numbers depend on its neighbours by rounding alone.
class TorchCaptioner final : public Captioner {
 public:
    /// `network` is put into evaluation mode and belongs to the captioner alone from then on.
    TorchCaptioner(CaptionerIdentity identity, Vocabulary vocabulary,
                   DecodingOptions decoding_defaults, std::shared_ptr<CaptionNetwork> network);

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
    std::shared_ptr<CaptionNetwork> network_;
};

}  // namespace seesay::language
