// Captions of the probe pictures through two encoders.
#include "models/runtime/precision_check.hpp"

#include <string>
#include <vector>

#include "models/language/decoding.hpp"
#include "models/vision/probe_pictures.hpp"

namespace seesay::runtime {
namespace {

std::vector<std::vector<int>> captions(vision::GridEncoder& encoder,
                                       const std::vector<vision::Image>& pictures,
                                       const std::string& package_sha256,
                                       const language::Captioner& captioner) {
    std::vector<std::vector<int>> sentences;
    for (const vision::Image& picture : pictures) {
        vision::FeatureSet features;
        encoder.encode({&picture, 1}, {&features, 1});
        features.encoder_sha256 = package_sha256;  // both encoders stand for that package
        sentences.push_back(
            language::describe(captioner, features, captioner.decoding_defaults()).tokens);
    }
    return sentences;
}

}  // namespace

bool captions_agree(vision::GridEncoder& exact, vision::GridEncoder& fast,
                    const weights::ModelPackage& encoder, const language::Captioner& captioner) {
    const nlohmann::json& probes = encoder.manifest().at("probes");
    const auto pictures = vision::probe_pictures(
        probes.at("seed").get<std::uint64_t>(), probes.at("count").get<int>(),
        exact.preprocessing().width, exact.preprocessing().height);
    return captions(exact, pictures, encoder.sha256(), captioner) ==
           captions(fast, pictures, encoder.sha256(), captioner);
}

}  // namespace seesay::runtime
