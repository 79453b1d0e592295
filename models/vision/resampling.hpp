// The antialiased triangle filter (Pillow's BILINEAR) as tables: which samples make an output
// sample, with which weights.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace seesay::vision {

/// Weights of one axis. Output sample i is the sum over t < taps of input[first[i] + t] · weights[i
/// · taps + t]; places behind the last real tap have weight 0 and may lie up to `taps` behind the
/// end of the input.
struct ResamplingTable {
    int input_size = 0;
    double start =
        0;  ///< the part of the input axis that is shown, in input samples (sample i covers i…i+1)
    double end = 0;
    int output_size = 0;
    int taps = 0;            ///< a multiple of 8
    std::vector<int> first;  ///< per output sample
    std::vector<int> count;  ///< real taps per output sample
    std::vector<float> weights;
};

/// Computes a table: triangle of half width max(1, scale) around each output sample's centre, cut
/// at the input's ends and normalised.
ResamplingTable make_resampling_table(int input_size, double start, double end, int output_size);

/// The tables that one thread used last. Frames of a stream need the same few again and again.
class ResamplingTables {
 public:
    std::shared_ptr<const ResamplingTable> get(int input_size, double start, double end,
                                               int output_size);

 private:
    static constexpr std::size_t capacity = 16;
    std::deque<std::shared_ptr<const ResamplingTable>> latest_first_;
};

}  // namespace seesay::vision
