// Pictures made from a seed: what precision is checked with at load, and what tests and benchmarks
// use.
#pragma once

#include <cstdint>
#include <vector>

#include "models/vision/image.hpp"

namespace seesay::vision {

/// `count` colourful pictures with structure at every scale, the same on every machine (integers
/// only): per channel, bilinearly enlarged grids of random bytes from 2×2 to 64×64 cells, coarse
/// ones weighing more.
std::vector<Image> probe_pictures(std::uint64_t seed, int count, int width, int height);

}  // namespace seesay::vision
