// `seesay doctor`: what this machine has, what is wrong with it, and how to cure it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `doctor`; when it is chosen, `run` becomes its work, which returns 0, or 1 if
/// something that captioning needs is missing.
void add_doctor_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
