// The golden cases of Show-Attend-Tell that make_sat_golden.py wrote.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "models/language/captioner.hpp"
#include "models/language/captioner_package.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::language {

struct SatGolden {
    nlohmann::json json;  ///< golden.json
    CaptionerParts parts;
    std::unique_ptr<Captioner> captioner;

    [[nodiscard]] std::size_t pictures() const { return json.at("pictures").size(); }
    [[nodiscard]] const nlohmann::json& picture(std::size_t index) const {
        return json.at("pictures").at(index);
    }
    [[nodiscard]] vision::FeatureSet features(std::size_t index) const;
};

/// Reads `tests/fixtures/sat/<name>`.
SatGolden read_sat_golden(const std::string& name);

}  // namespace seesay::language
