// Child processes for tests: posix_spawn, poll and pidfd.
#include "tests/elements/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <system_error>

namespace seesay::testing {
namespace {

using Clock = std::chrono::steady_clock;

int remaining_ms(Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

std::array<int, 2> open_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    return ends;
}

}  // namespace

Subprocess::Subprocess(const std::vector<std::string>& command, bool with_stderr) {
    const auto input = open_pipe();
    const auto output = open_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    if (with_stderr) {
        posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO);
    }
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    const int error =
        ::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    output_ = output[0];
    if (error != 0) {
        pid_ = -1;
        throw std::system_error(error, std::generic_category(), command[0]);
    }
}

Subprocess::~Subprocess() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    close_input();
    ::close(output_);
}

void Subprocess::write(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(input_, text.data() + done, text.size() - done);
        if (count < 0) {
            throw std::system_error(errno, std::generic_category(), "writing to a child process");
        }
        done += static_cast<std::size_t>(count);
    }
}

void Subprocess::close_input() {
    if (input_ >= 0) {
        ::close(input_);
        input_ = -1;
    }
}

void Subprocess::signal(int number) const {
    ::kill(pid_, number);
}

bool Subprocess::read_more(Clock::time_point deadline) {
    pollfd readable{output_, POLLIN, 0};
    if (::poll(&readable, 1, remaining_ms(deadline)) <= 0) {
        return false;
    }
    std::array<char, 4096> block{};
    const ssize_t count = ::read(output_, block.data(), block.size());
    if (count <= 0) {
        return false;
    }
    pending_.append(block.data(), static_cast<std::size_t>(count));
    return true;
}

std::optional<std::string> Subprocess::read_line(std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    std::size_t end = 0;
    while ((end = pending_.find('\n')) == std::string::npos) {
        if (!read_more(deadline)) {
            return std::nullopt;
        }
    }
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return line;
}

std::string Subprocess::read_all(std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    while (read_more(deadline)) {
    }
    return std::move(pending_);
}

std::optional<int> Subprocess::wait(std::chrono::milliseconds limit) {
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    pollfd ended{handle, POLLIN, 0};
    const int ready = ::poll(&ended, 1, static_cast<int>(limit.count()));
    ::close(handle);
    if (ready <= 0) {
        return std::nullopt;
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace seesay::testing
