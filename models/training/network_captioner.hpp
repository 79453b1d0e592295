// The network in training as a captioner, to be decoded with.
#pragma once

#include <memory>
#include <vector>

#include "models/language/captioner.hpp"
#include "models/language/show_attend_tell.hpp"
#include "models/weights/named_tensor.hpp"

namespace seesay::training {

/// A Show-Attend-Tell captioner of these sizes and tensors (named as in `weights.safetensors`).
/// Throws Error where they do not fit each other.
std::unique_ptr<language::Captioner> captioner_of(const language::ShowAttendTellSizes& sizes,
                                                  const std::vector<weights::NamedTensor>& tensors,
                                                  const language::Vocabulary& vocabulary,
                                                  const language::DecodingOptions& decoding,
                                                  const language::CaptionerIdentity& identity);

}  // namespace seesay::training
