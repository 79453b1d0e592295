// FrameConverter: turns decoded frames of unusual formats into 8-bit ones that our elements and
// encoders take.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "elements/source/libav_pointers.hpp"

namespace seesay::elements {

class ToneMap;

/// Frames in a format that passes (8-bit 4:2:0, 4:2:2, 4:4:4, NV12, grey, RGB without alpha) are
/// left alone. Deeper ones are reduced to 8 bits, palettes become RGB, alpha is laid over black, PQ
/// and HLG are tone-mapped to BT.709.
class FrameConverter {
 public:
    FrameConverter();
    ~FrameConverter();
    /// Replaces `frame` where needed. Throws Error for formats and sizes that cannot be converted.
    void convert(Frame& frame);

 private:
    Frame scale(const AVFrame& frame, AVPixelFormat target);

    Scaler scaler_;
    std::unique_ptr<ToneMap> tone_map_;
};

/// True for formats that `convert` leaves alone.
bool passes(AVPixelFormat format);

/// Whether the frame's samples use the full range 0…255, also where the stream does not say.
bool is_full_range(const AVFrame& frame);

}  // namespace seesay::elements
