// libFuzzer's entry; which reader it drives is set when it is compiled (tools/fuzz.sh).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const seesay::fuzz::Reader reader = seesay::fuzz::readers().at(SEESAY_FUZZ_READER);
    reader(std::as_bytes(std::span(data, size)));
    return 0;
}
