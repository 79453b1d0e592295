// From a model package to a Captioner: every size, name and number is checked on the way.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "models/language/captioner.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/named_tensor.hpp"

namespace seesay::language {

/// What a captioner is built from, for networks that are not (yet) in a package.
struct CaptionerParts {
    std::string origin;        ///< named in messages: a folder, "the network in training"
    std::string architecture;  ///< `show-attend-tell`
    nlohmann::json sizes;      ///< as in model.json
    nlohmann::json options;    ///< as in model.json; null or absent keys take the defaults
    std::map<std::string, weights::NamedTensor> tensors;
    Vocabulary vocabulary;
    DecodingOptions decoding;
    CaptionerIdentity identity;
};

/// Builds the captioner. Throws Error for an unknown architecture (naming the known ones), sizes or
/// options of wrong type or range, and a tensor that is missing, not expected, of another shape
/// than `sizes` says (both shapes are named), not floating point, or not finite.
std::unique_ptr<Captioner> make_captioner(const CaptionerParts& parts);

/// The captioner of a package. `options` (an object, or null) go before the package's own
/// `options`. Throws Error as make_captioner, for an encoder package, and for a vocabulary that
/// does not fit.
std::unique_ptr<Captioner> load_captioner(const weights::ModelPackage& package,
                                          const nlohmann::json& options = nullptr);

}  // namespace seesay::language
