// `seesay import`: a public checkpoint becomes a model package.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `import`; when it is chosen, `run` becomes its work, which returns the exit code.
void add_import_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
