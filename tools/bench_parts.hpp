// The measurements of `seesay bench`. Rivals take turns within one run; figures are medians.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace seesay::tools {

struct BenchOptions {
    std::string package = "default";
    std::string film;  ///< input of the film and memory parts; empty: they are left out
    int rounds = 3;    ///< of each part
};

/// One line of the table: a ratio (or share) with its target and the times behind it.
struct BenchLine {
    std::string part;  ///< "encoder", "decoder", …
    std::string what;  ///< "against eager LibTorch, 1 thread"
    double value = 0;
    std::string target;  ///< "≤ 0.5"; empty: none
    bool met = true;
    std::string times;  ///< "9.9 ms against 41.2 ms"
};

using BenchLines = std::vector<BenchLine>;

BenchLines bench_encoder_part(const BenchOptions& options);
BenchLines bench_decoder_part(const BenchOptions& options);
/// Overlay, film and memory; in a build without GStreamer they throw Error.
BenchLines bench_overlay_part(const BenchOptions& options);
BenchLines bench_film_part(const BenchOptions& options);
BenchLines bench_memory_part(const BenchOptions& options);

/// `value` with `digits` decimals, independent of the locale.
std::string decimals(double value, int digits);
double median(std::vector<double> values);

}  // namespace seesay::tools
