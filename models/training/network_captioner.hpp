// The network in training as a captioner, to be decoded with.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/language/captioner.hpp"
#include "models/weights/named_tensor.hpp"

namespace seesay::training {

/// What model.json states of a network.
struct NetworkStatement {
    std::string architecture;
    nlohmann::json sizes;
    nlohmann::json options;
};

/// A captioner of this network and these tensors (named as in `weights.safetensors`). Throws Error
/// where they do not fit each other.
std::unique_ptr<language::Captioner> captioner_of(const NetworkStatement& network,
                                                  const std::vector<weights::NamedTensor>& tensors,
                                                  const language::Vocabulary& vocabulary,
                                                  const language::DecodingOptions& decoding,
                                                  const language::CaptionerIdentity& identity);

}  // namespace seesay::training
