// `seesay watch`: prints the events of a publisher as they come.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `watch`; when it is chosen, `run` becomes its work, which returns the exit code: 0
/// after SIGINT, SIGTERM or the wanted number of events. Throws seesay::Error if nothing was heard
/// for the time given with --timeout.
void add_watch_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
