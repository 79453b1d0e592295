// The endpoints of this process: streams that name the same one share its sockets and its thread.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "elements/events/endpoint.hpp"

namespace seesay::elements {

/// May be used from any thread; must outlive what it gives out.
class EndpointRegistry {
 public:
    explicit EndpointRegistry(EndpointOptions options = {}) : options_(options) {}

    /// The endpoint, bound now if nobody holds it yet; closed when the last holder lets go (which
    /// then takes up to the linger time). Throws seesay::Error if it cannot be bound.
    std::shared_ptr<Endpoint> open(const std::string& endpoint);

 private:
    struct Slot {
        std::unique_ptr<Endpoint> endpoint;
        int holders = 0;
        bool changing = false;  ///< being bound or closed, outside the lock
    };

    void release(const std::string& endpoint);

    EndpointOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Slot> slots_;  ///< guarded by mutex_
};

/// The one that elements use.
EndpointRegistry& endpoint_registry();

}  // namespace seesay::elements
