// Run ids from the system's random source.
#include "elements/events/event_numbering.hpp"

#include <random>

namespace seesay::elements {

std::string new_run_id() {
    constexpr const char* kDigits = "0123456789abcdef";
    std::random_device random;
    std::string id;
    for (int word = 0; word < 4; ++word) {
        std::uint32_t bits = random();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4U) {
            id += kDigits[bits & 0xFU];
        }
    }
    return id;
}

}  // namespace seesay::elements
