// See the header.
#include "tools/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "models/error.hpp"

namespace seesay::tools {

void prepare_standard_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // The lowest free number is the one that was closed.
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
            (void)!::open("/dev/null", O_RDWR);
        }
    }
    std::signal(SIGPIPE, SIG_IGN);
}

void require_standard_output() {
    errno = 0;
    const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (lost) {
        throw Error("standard output cannot be written: " +
                    (errno != 0 ? std::generic_category().message(errno)
                                : "the disk is full or the reader has gone"));
    }
}

}  // namespace seesay::tools
