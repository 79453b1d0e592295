// `seesay caption`: captions one film, stream or picture.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seesay::tools {

/// Registers `caption`; when it is chosen, `run` becomes its work, which returns the exit code.
void add_caption_command(CLI::App& app, std::function<int()>& run);

}  // namespace seesay::tools
