// Portable loops that compilers vectorise, compiled once more for AVX2 and chosen at run time.
#include "models/vision/resampling_kernels.hpp"

#include <cstddef>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define SEESAY_HAS_AVX2_CLONE 1
#endif

namespace seesay::vision {
namespace {

#define SEESAY_INLINE inline __attribute__((always_inline))

// Adds up to four rows at once: each pass over the sums costs a load and a store a sample.
template <int Rows, bool First>
SEESAY_INLINE void add_single(const std::uint8_t* __restrict row, std::ptrdiff_t stride,
                              const float* __restrict weights, int width, float* __restrict sums) {
    for (int x = 0; x < width; ++x) {
        float sum = First ? 0.F : sums[x];
        for (int r = 0; r < Rows; ++r)
            sum += weights[r] * static_cast<float>(row[r * stride + x]);
        sums[x] = sum;
    }
}

template <bool First>
SEESAY_INLINE void add_singles(const std::uint8_t* row, std::ptrdiff_t stride, const float* weights,
                               int rows, int width, float* sums) {
    switch (rows) {
        case 1:
            add_single<1, First>(row, stride, weights, width, sums);
            break;
        case 2:
            add_single<2, First>(row, stride, weights, width, sums);
            break;
        case 3:
            add_single<3, First>(row, stride, weights, width, sums);
            break;
        default:
            add_single<4, First>(row, stride, weights, width, sums);
            break;
    }
}

template <int Channels>
SEESAY_INLINE void add_interleaved(const std::uint8_t* __restrict row, float weight, int width,
                                   float* __restrict sums, std::ptrdiff_t pitch) {
    for (int x = 0; x < width; ++x) {
        for (int c = 0; c < Channels; ++c) {
            sums[c * pitch + x] += weight * static_cast<float>(row[Channels * x + c]);
        }
    }
}

// `alpha` is the place of alpha among the four; its own sum is not needed.
template <int Alpha>
SEESAY_INLINE void add_with_alpha(const std::uint8_t* __restrict row, float weight, int width,
                                  float* __restrict sums, std::ptrdiff_t pitch) {
    weight /= 255.F;
    for (int x = 0; x < width; ++x) {
        const float share = weight * static_cast<float>(row[4 * x + Alpha]);
        for (int c = 0; c < 4; ++c) {
            if (c != Alpha) sums[c * pitch + x] += share * static_cast<float>(row[4 * x + c]);
        }
    }
}

SEESAY_INLINE void sum_rows_body(const RowSum& rows, float* sums, std::ptrdiff_t pitch) {
    if (rows.layout == RowLayout::Single) {
        for (int r = 0; r < rows.rows; r += 4) {
            const std::uint8_t* row = rows.first_row + r * rows.stride;
            const int count = rows.rows - r < 4 ? rows.rows - r : 4;
            if (r == 0) {
                add_singles<true>(row, rows.stride, rows.weights, count, rows.width, sums);
            } else {
                add_singles<false>(row, rows.stride, rows.weights + r, count, rows.width, sums);
            }
        }
        return;
    }
    const int channels = rows.layout == RowLayout::Pairs     ? 2
                         : rows.layout == RowLayout::Triples ? 3
                                                             : 4;
    for (int c = 0; c < channels; ++c) {
        for (int x = 0; x < rows.width; ++x)
            sums[c * pitch + x] = 0.F;
    }
    for (int r = 0; r < rows.rows; ++r) {
        const std::uint8_t* row = rows.first_row + r * rows.stride;
        const float weight = rows.weights[r];
        switch (rows.layout) {
            case RowLayout::Pairs:
                add_interleaved<2>(row, weight, rows.width, sums, pitch);
                break;
            case RowLayout::Triples:
                add_interleaved<3>(row, weight, rows.width, sums, pitch);
                break;
            case RowLayout::Quadruples:
                add_interleaved<4>(row, weight, rows.width, sums, pitch);
                break;
            case RowLayout::AlphaLast:
                add_with_alpha<3>(row, weight, rows.width, sums, pitch);
                break;
            default:
                add_with_alpha<0>(row, weight, rows.width, sums, pitch);
                break;
        }
    }
}

// Eight lanes; compilers split them where registers are narrower.
typedef float Lanes __attribute__((vector_size(32)));

SEESAY_INLINE void resample_row_body(const ResamplingTable& table, const float* row,
                                     float* output) {
    const int taps = table.taps;
    const float* weights = table.weights.data();
    for (int i = 0; i < table.output_size; ++i, weights += taps) {
        const float* samples = row + table.first[i];
        Lanes sum = {};
        for (int t = 0; t < taps; t += 8) {
            Lanes sample;
            Lanes weight;
            std::memcpy(&sample, samples + t, sizeof sample);
            std::memcpy(&weight, weights + t, sizeof weight);
            sum += sample * weight;
        }
        output[i] =
            ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
    }
}

SEESAY_INLINE void write_rgb_body(const ColourMap& map, const float* __restrict first,
                                  const float* __restrict second, const float* __restrict third,
                                  int count, std::uint8_t* __restrict output) {
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 3; ++c) {
            const auto& f = map.factors[c];
            float value =
                map.offset[c] + 0.5F + f[0] * first[i] + f[1] * second[i] + f[2] * third[i];
            value = value < 0.F ? 0.F : value;
            value = value > 255.F ? 255.F : value;
            output[3 * i + c] = static_cast<std::uint8_t>(static_cast<int>(value));
        }
    }
}

#ifdef SEESAY_HAS_AVX2_CLONE
__attribute__((target("avx2,fma"))) void sum_rows_avx2(const RowSum& rows, float* sums,
                                                       std::ptrdiff_t pitch) {
    sum_rows_body(rows, sums, pitch);
}

__attribute__((target("avx2,fma"))) void resample_row_avx2(const ResamplingTable& table,
                                                           const float* row, float* output) {
    resample_row_body(table, row, output);
}

__attribute__((target("avx2,fma"))) void write_rgb_avx2(const ColourMap& map, const float* first,
                                                        const float* second, const float* third,
                                                        int count, std::uint8_t* output) {
    write_rgb_body(map, first, second, third, count, output);
}

bool has_avx2() {
    static const bool has =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return has;
}
#endif

}  // namespace

void sum_rows(const RowSum& rows, float* sums, std::ptrdiff_t pitch) {
#ifdef SEESAY_HAS_AVX2_CLONE
    if (has_avx2()) return sum_rows_avx2(rows, sums, pitch);
#endif
    sum_rows_body(rows, sums, pitch);
}

void resample_row(const ResamplingTable& table, const float* row, float* output) {
#ifdef SEESAY_HAS_AVX2_CLONE
    if (has_avx2()) return resample_row_avx2(table, row, output);
#endif
    resample_row_body(table, row, output);
}

void write_rgb(const ColourMap& map, const float* first, const float* second, const float* third,
               int count, std::uint8_t* output) {
#ifdef SEESAY_HAS_AVX2_CLONE
    if (has_avx2()) return write_rgb_avx2(map, first, second, third, count, output);
#endif
    write_rgb_body(map, first, second, third, count, output);
}

}  // namespace seesay::vision
