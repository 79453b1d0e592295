// JSON as files from elsewhere have to be read: no duplicate keys, bounded depth, errors with a
// place.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace seesay::weights {

/// Parses one JSON document. Throws Error, starting with `origin`, for a syntax error (with line
/// and column), a key that occurs twice in one object, or nesting deeper than `maximum_depth`.
nlohmann::json parse_strict_json(std::string_view text, const std::string& origin,
                                 int maximum_depth = 32);

}  // namespace seesay::weights
