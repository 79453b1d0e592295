// Preprocessing written plainly in floating point, straight from its description: the reference of
// the tests.
#pragma once

#include <vector>

#include "models/vision/frame_view.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::vision {

/// A frame of any format with memory of its own, filled with structure, rows padded with
/// `row_padding` bytes of 255.
struct OwnedFrame {
    OwnedFrame(PixelFormat format, int width, int height, int row_padding);
    OwnedFrame(const OwnedFrame&) = delete;
    OwnedFrame& operator=(const OwnedFrame&) = delete;

    FrameView frame;
    std::vector<std::vector<std::uint8_t>> memory;
};

/// `[height, width, 3]` RGB in 0…255, clamped, not rounded.
std::vector<float> float_preprocess(const FrameView& frame, const Preprocessing& preprocessing);

}  // namespace seesay::vision
