// The exception of config/: file, line, key, what is wrong, what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace seesay::config {

/// A mistake in a settings file. The message is one line that starts with `FILE:LINE:`.
class ConfigError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

}  // namespace seesay::config
