// Binding and closing happen outside the lock, so that a slow close of one endpoint holds up nobody
// at another.
#include "elements/events/endpoint_registry.hpp"

#include <utility>

namespace seesay::elements {

std::shared_ptr<Endpoint> EndpointRegistry::open(const std::string& endpoint) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        const auto slot = slots_.find(endpoint);
        return slot == slots_.end() || !slot->second.changing;
    });
    Slot& slot = slots_[endpoint];
    if (!slot.endpoint) {
        slot.changing = true;
        lock.unlock();
        try {
            auto bound = std::make_unique<Endpoint>(endpoint, options_);
            lock.lock();
            slot.endpoint = std::move(bound);
            slot.changing = false;
        } catch (...) {
            lock.lock();
            slots_.erase(endpoint);
            changed_.notify_all();
            throw;
        }
        changed_.notify_all();
    }
    ++slot.holders;
    return {slot.endpoint.get(), [this, endpoint](Endpoint*) { release(endpoint); }};
}

void EndpointRegistry::release(const std::string& endpoint) {
    std::unique_lock lock(mutex_);
    Slot& slot = slots_.at(endpoint);
    if (--slot.holders > 0) {
        return;
    }
    slot.changing = true;
    std::unique_ptr<Endpoint> closing = std::move(slot.endpoint);
    lock.unlock();
    closing.reset();
    lock.lock();
    slots_.erase(endpoint);
    changed_.notify_all();
}

EndpointRegistry& endpoint_registry() {
    // Never destroyed: elements may outlive every static object.
    static auto* const registry = new EndpointRegistry();
    return *registry;
}

}  // namespace seesay::elements
