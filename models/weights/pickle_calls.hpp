// The few calls in a pickle whose result is plain data, so that they need not stay opaque objects.
#pragma once

#include "models/weights/pickle_input.hpp"
#include "models/weights/pickle_value.hpp"

namespace seesay::weights {

/// Turns `call` (an Object: `type` called with `items`) into the Dict, Set, List or Bytes that it
/// would make, where `type` is one of the known globals and the arguments are of the expected form.
/// Else leaves it as it is.
void shape_known_call(PickleValue& call, const PickleInput& input);

/// Whether a class or function ("module name") is one that readers here know: tensors, storages,
/// containers, NumPy.
bool is_known_global(std::string_view name);

}  // namespace seesay::weights
