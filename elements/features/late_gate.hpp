// LateGate: when downstream is behind, inference makes way for it.
#pragma once

#include <cstdint>
#include <mutex>

namespace seesay::elements {

/// Reports come from any thread. Running times in nanoseconds.
class LateGate {
 public:
    void reset();
    /// A QoS event: a frame of `running_time_ns` came `difference_ns` too late (negative: early).
    void report(std::int64_t running_time_ns, std::int64_t difference_ns);
    /// True if the due frame of `running_time_ns` should be skipped. Never more than three times in
    /// a row: a sink that is always late must not end all captions.
    bool skip(std::int64_t running_time_ns);

 private:
    std::mutex mutex_;
    std::int64_t earliest_ns_ = -1;
    int skipped_in_a_row_ = 0;
};

}  // namespace seesay::elements
