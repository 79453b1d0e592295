// `seesay train`: trains a captioner package.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `train`; when it is chosen, `run` becomes its work, which returns the exit code.
void add_train_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
