// `seesay evaluate`: captions a data set with a package and scores the captions.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `evaluate`; when it is chosen, `run` becomes its work, which returns the exit code.
void add_evaluate_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
