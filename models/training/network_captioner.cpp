// Tensors by name, as packages hold them.
#include "models/training/network_captioner.hpp"

#include "models/language/captioner_package.hpp"

namespace seesay::training {

std::unique_ptr<language::Captioner> captioner_of(const NetworkStatement& network,
                                                  const std::vector<weights::NamedTensor>& tensors,
                                                  const language::Vocabulary& vocabulary,
                                                  const language::DecodingOptions& decoding,
                                                  const language::CaptionerIdentity& identity) {
    language::CaptionerParts parts{"the network in training",
                                   network.architecture,
                                   network.sizes,
                                   network.options,
                                   {},
                                   vocabulary,
                                   decoding,
                                   identity};
    for (const auto& tensor : tensors) {
        parts.tensors.emplace(tensor.name, tensor);
    }
    return language::make_captioner(parts);
}

}  // namespace seesay::training
