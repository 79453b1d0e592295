// Reading of the golden cases.
#include "tests/language/sat_golden.hpp"

#include <filesystem>
#include <fstream>

namespace seesay::language {

vision::FeatureSet SatGolden::features(std::size_t index) const {
    vision::FeatureSet features;
    features.count = picture(index).at("count").get<int>();
    features.vectors = picture(index).at("features").get<std::vector<float>>();
    features.dimension = captioner->feature_dimension();
    features.geometry.rows = 1;
    features.geometry.columns = features.count;
    return features;
}

SatGolden read_sat_golden(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(SEESAY_FIXTURES) / "sat" / name;
    SatGolden golden;
    std::ifstream(folder / "golden.json") >> golden.json;
    std::vector<std::string> tokens{"<pad>", "<start>", "<end>", "<unk>"};
    const int size = golden.json.at("sizes").at("vocabulary").get<int>();
    while (static_cast<int>(tokens.size()) < size) {
        tokens.push_back(std::string("w").append(std::to_string(tokens.size())));
    }
    golden.parts = {folder.string(),
                    "show-attend-tell",
                    golden.json.at("sizes"),
                    golden.json.at("options"),
                    weights::Safetensors::open(folder / "weights.safetensors").tensors(),
                    Vocabulary::from_tokens("en", tokens),
                    DecodingOptions{},
                    {name, std::string(64, 'c'), "", ""}};
    golden.captioner = make_captioner(golden.parts);
    return golden;
}

}  // namespace seesay::language
