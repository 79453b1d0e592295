// The inner loops of preprocessing: weighted sum of rows, then of neighbours in the summed row,
// then colour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/vision/resampling.hpp"

namespace seesay::vision {

/// How the samples of a row lie in memory.
enum class RowLayout {
    Single,      ///< one channel
    Pairs,       ///< two interleaved channels
    Triples,     ///< three interleaved channels
    Quadruples,  ///< four interleaved channels
    AlphaLast,   ///< four, of which the last is straight alpha: the others are multiplied with it
    AlphaFirst,  ///< four, of which the first is alpha
};

/// Rows with their weights, summed into one float row per channel.
struct RowSum {
    const std::uint8_t* first_row = nullptr;  ///< row of the first tap
    std::ptrdiff_t stride = 0;
    const float* weights = nullptr;  ///< one a row
    int rows = 0;
    int width = 0;  ///< samples a channel; nothing behind them is read
    RowLayout layout = RowLayout::Single;
};

/// Channel c of the weighted sum goes to sums + c · pitch, `width` floats in 0…255.
void sum_rows(const RowSum& rows, float* sums, std::ptrdiff_t pitch);

/// Applies `table` to one channel's row: `row` has table.input_size + table.taps readable floats.
/// Writes table.output_size floats.
void resample_row(const ResamplingTable& table, const float* row, float* output);

/// Affine map from three channels to R, G, B: output c = offset[c] + Σ factors[c][k] · input k.
struct ColourMap {
    std::array<std::array<float, 3>, 3> factors{};
    std::array<float, 3> offset{};
};

/// Applies `map` to `count` samples, rounds, clamps to 0…255 and writes them interleaved as RGB.
void write_rgb(const ColourMap& map, const float* first, const float* second, const float* third,
               int count, std::uint8_t* output);

}  // namespace seesay::vision
