// The handler only writes to an eventfd, which is allowed at any time.
#include "tools/stop_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace seesay::tools {
namespace {

std::atomic<int> wake_descriptor = -1;  // a signal handler can reach nothing but a global

void handle(int) {
    const int error = errno;
    ::eventfd_write(wake_descriptor, 1);
    errno = error;
}

}  // namespace

StopSignal::StopSignal() {
    wake_descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_descriptor < 0) {
        throw std::system_error(errno, std::generic_category(), "cannot open another descriptor");
    }
    struct sigaction action {};
    action.sa_handler = handle;
    ::sigaction(SIGINT, &action, &interrupt_before_);
    ::sigaction(SIGTERM, &action, &terminate_before_);
}

StopSignal::~StopSignal() {
    ::sigaction(SIGINT, &interrupt_before_, nullptr);
    ::sigaction(SIGTERM, &terminate_before_, nullptr);
    ::close(wake_descriptor);
    wake_descriptor = -1;
}

int StopSignal::descriptor() const {
    return wake_descriptor;
}

bool StopSignal::received() const {
    pollfd item{wake_descriptor, POLLIN, 0};
    return ::poll(&item, 1, 0) > 0;
}

}  // namespace seesay::tools
