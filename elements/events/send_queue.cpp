// A deque under a mutex, and an eventfd that ZeroMQ's poll can wait on beside its sockets.
#include "elements/events/send_queue.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace seesay::elements {

SendQueue::SendQueue(std::size_t capacity)
    : capacity_(capacity), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake_ < 0) {
        throw std::system_error(errno, std::generic_category(), "cannot open another descriptor");
    }
}

SendQueue::~SendQueue() {
    ::close(wake_);
}

bool SendQueue::put(SendOrder order) {
    const std::lock_guard lock(mutex_);
    if (order.kind == SendOrder::Kind::Event && orders_.size() >= capacity_) {
        return false;
    }
    orders_.push_back(std::move(order));
    if (orders_.size() == 1) {
        ::eventfd_write(wake_, 1);
    }
    return true;
}

std::deque<SendOrder> SendQueue::take() {
    const std::lock_guard lock(mutex_);
    if (!orders_.empty()) {
        eventfd_t count = 0;
        ::eventfd_read(wake_, &count);
    }
    return std::exchange(orders_, {});
}

}  // namespace seesay::elements
