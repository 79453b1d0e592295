// The exception of models/, elements/ and pipeline/: a message that a user can act on.
#pragma once

#include <stdexcept>
#include <string>

namespace seesay {

/// Something the user can do something about. The message is one line: what failed, where, what to
/// do.
class Error : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

}  // namespace seesay
