// Finds the NaN or infinity that would otherwise come out as a caption.
#pragma once

#include <cstdint>
#include <optional>

#include "models/weights/named_tensor.hpp"

namespace seesay::weights {

/// Index (row-major) of the first element that is NaN or infinite; nothing where all are finite or
/// the type is integer.
std::optional<std::int64_t> first_non_finite(const NamedTensor& tensor);

}  // namespace seesay::weights
