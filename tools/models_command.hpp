// `seesay models`: the model packages that can be found here.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `models`; when it is chosen, `run` becomes its work, which returns 0, or 1 if a
/// package is damaged.
void add_models_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
