// `seesay bench`: what captioning costs here, as ratios measured in one run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `bench`; when it is chosen, `run` becomes its work, which returns the exit code.
void add_bench_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
