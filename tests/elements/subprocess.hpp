// A child process in a test: its standard output line by line, with a deadline for everything.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace seesay::testing {

/// Killed, if it still runs, when the object goes.
class Subprocess {
 public:
    /// Runs `command[0]` (looked up in PATH) with standard output captured, and standard error too
    /// if `with_stderr`. Throws std::system_error.
    explicit Subprocess(const std::vector<std::string>& command, bool with_stderr = false);
    ~Subprocess();
    Subprocess(const Subprocess&) = delete;
    Subprocess& operator=(const Subprocess&) = delete;

    /// Writes to the child's standard input.
    void write(const std::string& text);
    void close_input();
    void signal(int number) const;
    /// The next line without its break; nothing at the end of the output or after `limit`.
    std::optional<std::string> read_line(
        std::chrono::milliseconds limit = std::chrono::seconds(20));
    /// All remaining output.
    std::string read_all(std::chrono::milliseconds limit = std::chrono::seconds(20));
    /// The exit status, 128 + N after signal N; nothing if the child still runs after `limit`.
    std::optional<int> wait(std::chrono::milliseconds limit = std::chrono::seconds(20));

 private:
    bool read_more(std::chrono::steady_clock::time_point deadline);

    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    std::string pending_;
};

}  // namespace seesay::testing
