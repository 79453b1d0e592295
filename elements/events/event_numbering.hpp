// How receivers tell loss from restart: the run id, and sequence numbers without gaps.
#pragma once

#include <cstdint>
#include <string>

namespace seesay::elements {

/// 128 random bits as 32 lower-case hexadecimal digits: a new one each time a publisher starts.
std::string new_run_id();

/// Numbers the events of one stream, kind and run from 1. For one thread.
class SequenceCounter {
 public:
    std::uint64_t next() { return ++last_; }

 private:
    std::uint64_t last_ = 0;
};

}  // namespace seesay::elements
