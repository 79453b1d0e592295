// Checks that several commands put on their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace seesay::tools {

/// An option that is written down with nothing behind it (an unset variable of a script?) is a
/// mistake, not the default.
inline CLI::Option* refuse_nothing(CLI::Option* option) {
    return option->check(
        [](const std::string& value) { return std::string(value.empty() ? "is empty" : ""); });
}

}  // namespace seesay::tools
