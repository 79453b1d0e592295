// A pickle reader that executes nothing: protocols 0 to 5 into PickleValues. Classes it does not
// know stay inert.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "models/weights/pickle_value.hpp"

namespace seesay::weights {

/// Bounds that no honest checkpoint reaches.
struct PickleLimits {
    std::size_t values = 2'000'000;
    std::size_t stack = 2'000'000;
    std::size_t string_bytes = std::size_t{256} << 20U;  ///< one string
    std::size_t copied_bytes = std::size_t{256} << 20U;  ///< by calls that copy their arguments
};

struct PickleResult {
    PickleValue* value = nullptr;  ///< owned by the tree
    std::size_t consumed = 0;      ///< bytes up to and with STOP
};

/// Reads one pickle from the start of `bytes`. Calls of OrderedDict, defaultdict, Counter, set,
/// frozenset, list, dict, bytearray, _codecs.encode and copyreg._reconstructor become the
/// containers they would make; any other call becomes an Object. Throws Error, starting with
/// `origin`, for what is not a pickle, is cut, or exceeds the limits.
PickleResult read_pickle(std::span<const std::byte> bytes, PickleTree& tree,
                         const std::string& origin, const PickleLimits& limits = {});

}  // namespace seesay::weights
