// The readers of files from elsewhere, as fuzzers and the corpus test call them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace seesay::fuzz {

/// Reads `bytes` and looks at all that came out. Bad input must end in seesay::Error, which is
/// caught here; whatever else happens is a finding.
using Reader = std::function<void(std::span<const std::byte> bytes)>;

/// "safetensors", "checkpoint", "manifest" (model.json) and "vocabulary" (vocabulary.json).
const std::map<std::string, Reader>& readers();

}  // namespace seesay::fuzz
