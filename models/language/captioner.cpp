// Captioner: identity and the checks that hold for every architecture.
#include "models/language/captioner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/error.hpp"

namespace seesay::language {

PreparedPictures::PreparedPictures(std::vector<int> attended) : attended_(std::move(attended)) {
    longest_ = attended_.empty() ? 0 : *std::max_element(attended_.begin(), attended_.end());
}

Captioner::Captioner(CaptionerIdentity identity, Vocabulary vocabulary,
                     DecodingOptions decoding_defaults, int feature_dimension)
    : identity_(std::move(identity)),
      vocabulary_(std::move(vocabulary)),
      tokenizer_(vocabulary_.language()),
      decoding_defaults_(decoding_defaults),
      feature_dimension_(feature_dimension) {
}

void Captioner::check(const vision::FeatureSet& features) const {
    if (!identity_.encoder_sha256.empty() && features.encoder_sha256 != identity_.encoder_sha256) {
        throw Error("captioner " + identity_.name + " needs features of encoder " +
                    identity_.encoder_name + " (" + identity_.encoder_sha256.substr(0, 12) +
                    "), but these are of encoder " +
                    (features.encoder_name.empty() ? "?" : features.encoder_name) + " (" +
                    (features.encoder_sha256.empty() ? "no checksum"
                                                     : features.encoder_sha256.substr(0, 12)) +
                    "); give both elements the same package");
    }
    if (features.dimension != feature_dimension_) {
        throw Error("captioner " + identity_.name + " needs vectors of " +
                    std::to_string(feature_dimension_) + " numbers, but the features have " +
                    std::to_string(features.dimension));
    }
    const auto expected = static_cast<std::size_t>(std::max(features.count, 0)) *
                          static_cast<std::size_t>(feature_dimension_);
    if (features.count < 1 || features.vectors.size() != expected) {
        throw Error("captioner " + identity_.name + ": features with " +
                    std::to_string(features.count) + " vectors hold " +
                    std::to_string(features.vectors.size()) + " numbers; at least one vector of " +
                    std::to_string(feature_dimension_) + " is needed");
    }
    if (!std::all_of(features.vectors.begin(), features.vectors.end(),
                     [](float value) { return std::isfinite(value); })) {
        throw Error("captioner " + identity_.name + ": encoder " + features.encoder_name +
                    " gave numbers that are not finite");
    }
}

}  // namespace seesay::language
