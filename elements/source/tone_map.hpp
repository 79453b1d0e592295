// ToneMap: high dynamic range (PQ, HLG; BT.2020) to BT.709 pictures that an ordinary screen and a
// network can read.
#pragma once

#include <cstdint>
#include <vector>

#include "elements/source/libav_pointers.hpp"

namespace seesay::elements {

/// A look-up table over Y', Cb, Cr, made once per transfer function, matrix and range, and read
/// trilinearly. Reference white (203 cd/m², ITU-R BT.2408) comes out just below white; what is
/// brighter is rolled off to white at 1,000 cd/m². HLG is read with the display gamma of a 1,000
/// cd/m² screen (BT.2100). Out-of-gamut colours are clipped.
class ToneMap {
 public:
    /// For frames like this one (`YUV444P16LE`, tagged PQ or HLG).
    explicit ToneMap(const AVFrame& like);

    [[nodiscard]] bool fits(const AVFrame& frame) const;

    /// `source`: YUV444P16LE; `target`: YUV420P of the same size, which is tagged BT.709 limited
    /// range.
    void apply(const AVFrame& source, AVFrame& target) const;

 private:
    static constexpr int kLuma = 65;
    static constexpr int kChroma = 33;

    struct Sample {
        float y, cb, cr;
    };
    [[nodiscard]] Sample look_up(std::uint16_t y, std::uint16_t cb, std::uint16_t cr) const;

    AVColorTransferCharacteristic transfer_;
    AVColorSpace matrix_;
    bool full_range_;
    std::vector<Sample> table_;  ///< `[kLuma, kChroma, kChroma]`, values 0…255
};

}  // namespace seesay::elements
