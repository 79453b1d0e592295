// Value noise in six octaves. tests/vision/make_efficientnet_golden.py makes the same pictures.
#include "models/vision/probe_pictures.hpp"

namespace seesay::vision {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t next(std::uint64_t& state) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// Adds one octave of `cells`² cells, weighted, to `sums`.
void add_octave(int cells, int weight, std::uint64_t& state, int width, int height,
                std::vector<int>& sums) {
    std::vector<int> grid(static_cast<std::size_t>(cells + 1) * (cells + 1));
    for (int& value : grid)
        value = static_cast<int>(next(state) >> 56);
    for (int y = 0; y < height; ++y) {
        const int v = y * cells * 256 / height;
        for (int x = 0; x < width; ++x) {
            const int u = x * cells * 256 / width;
            const int* corner =
                grid.data() + static_cast<std::ptrdiff_t>(v / 256) * (cells + 1) + u / 256;
            const int above = corner[0] * (256 - u % 256) + corner[1] * (u % 256);
            const int below = corner[cells + 1] * (256 - u % 256) + corner[cells + 2] * (u % 256);
            sums[static_cast<std::size_t>(y) * width + x] +=
                weight * ((above * (256 - v % 256) + below * (v % 256)) / 65536);
        }
    }
}

}  // namespace

std::vector<Image> probe_pictures(std::uint64_t seed, int count, int width, int height) {
    std::vector<Image> pictures;
    std::uint64_t state = seed;
    for (int i = 0; i < count; ++i) {
        const std::size_t size = static_cast<std::size_t>(width) * height;
        Image picture{width, height, std::vector<std::uint8_t>(3 * size)};
        for (int c = 0; c < 3; ++c) {
            std::vector<int> sums(size);
            int weight = 32;
            for (int cells = 2; cells <= 64; cells *= 2, weight /= 2) {
                add_octave(cells, weight, state, width, height, sums);
            }
            for (std::size_t k = 0; k < size; ++k)
                picture.pixels[3 * k + c] = static_cast<std::uint8_t>(sums[k] / 63);
        }
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

}  // namespace seesay::vision
