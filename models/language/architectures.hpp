// The captioning architectures by name: their flavours, and networks from what model.json states.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/language/caption_network.hpp"
#include "models/language/network_parameters.hpp"

namespace seesay::language {

/// One way to set an architecture's options.
struct Flavour {
    std::string name;        ///< "paper", or whose checkpoints have it
    nlohmann::json sizes;    ///< at the paper's or the checkpoints' size; vocabulary included
    nlohmann::json options;  ///< as in model.json
};

struct Architecture {
    std::string name;         ///< as in model.json
    std::string description;  ///< one line, with its source
    std::vector<Flavour> flavours;
};

/// All of them, in the order of their publication.
const std::vector<Architecture>& architectures();

/// A network of these sizes and options (as in model.json; null options: the defaults). Throws
/// Error that starts with `origin` for an unknown architecture (naming the known ones) and for
/// sizes or options that are missing, unknown, of wrong type or out of range.
std::shared_ptr<CaptionNetwork> make_network(
    const std::string& architecture, const nlohmann::json& sizes, const nlohmann::json& options,
    const std::string& origin, const NetworkDropout& dropout, std::int64_t unknown_token,
    Initialisation initialisation);

/// How many numbers a network of these sizes learns.
std::int64_t parameter_count(const std::string& architecture, const Flavour& flavour);

}  // namespace seesay::language
