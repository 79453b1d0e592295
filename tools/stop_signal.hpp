// SIGINT and SIGTERM as a descriptor that a program can wait on.
#pragma once

#include <csignal>

namespace seesay::tools {

/// While it lives, both signals make `descriptor()` readable instead of ending the program. One at
/// a time.
class StopSignal {
 public:
    /// Throws std::system_error if there is no descriptor left.
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    int descriptor() const;
    bool received() const;

 private:
    struct sigaction interrupt_before_ {};
    struct sigaction terminate_before_ {};
};

}  // namespace seesay::tools
