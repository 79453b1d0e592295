// float32 → float16 and back, for weights files.
#pragma once

#include <cstdint>

#include "models/weights/named_tensor.hpp"

namespace seesay::weights {

/// IEEE 754 binary16 nearest to `value`, ties to even; denormals are kept, NaN stays NaN, and what
/// lies beyond 65504 by half a step or more becomes infinity.
std::uint16_t to_float16(float value);

/// Exact.
float from_float16(std::uint16_t bits);

/// A float32 tensor as float16. Throws Error naming the tensor where a finite value would become
/// infinite, or if it is not float32.
NamedTensor to_float16(const NamedTensor& tensor);

}  // namespace seesay::weights
