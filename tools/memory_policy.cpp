// glibc's settings. Its own would raise the threshold with each large block that is freed, after
// which frames lie in the heaps, between small blocks that keep them from shrinking.
#include "tools/memory_policy.hpp"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace seesay::tools {

void set_memory_policy_for_video() {
#ifdef __GLIBC__
    constexpr int kHeaps = 2;
    constexpr int kLargeBlock = 1 << 20;  // bytes
    const auto set = [](const char* variable, int parameter, int value) {
        if (std::getenv(variable) == nullptr) {
            mallopt(parameter, value);
        }
    };
    set("MALLOC_ARENA_MAX", M_ARENA_MAX, kHeaps);
    set("MALLOC_MMAP_THRESHOLD_", M_MMAP_THRESHOLD, kLargeBlock);
    set("MALLOC_TRIM_THRESHOLD_", M_TRIM_THRESHOLD, kLargeBlock);
#endif
}

}  // namespace seesay::tools
