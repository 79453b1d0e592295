// "Did you mean": the known name nearest to a mistyped one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace seesay::weights {

/// The candidate with the smallest edit distance (insert, delete, replace, swap neighbours; case
/// ignored), if that is near enough to be a slip: at most a third of the longer name.
std::optional<std::string> nearest_name(const std::string& name,
                                        const std::vector<std::string>& candidates);

}  // namespace seesay::weights
