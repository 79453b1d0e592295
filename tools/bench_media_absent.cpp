// The media parts of `seesay bench` in a build without GStreamer.
#include "models/error.hpp"
#include "tools/bench_parts.hpp"

namespace seesay::tools {
namespace {

[[noreturn]] void refuse() {
    throw Error(
        "this program was built without GStreamer: only --only encoder,decoder can be measured");
}

}  // namespace

BenchLines bench_overlay_part(const BenchOptions&) {
    refuse();
}
BenchLines bench_film_part(const BenchOptions&) {
    refuse();
}
BenchLines bench_memory_part(const BenchOptions&) {
    refuse();
}

}  // namespace seesay::tools
