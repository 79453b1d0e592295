// FrameView: a decoded picture as it lies in memory. The only picture type that crosses from
// elements/ into models/.
#pragma once

#include <array>
#include <cstdint>

namespace seesay::vision {

/// Memory layouts that are read without a conversion. 8 bits a sample unless said.
enum class PixelFormat {
    I420,   ///< planes Y, U, V; chroma halved both ways
    YV12,   ///< as I420 with V before U
    NV12,   ///< planes Y, interleaved UV; chroma halved both ways
    NV21,   ///< as NV12 with V before U
    Y42B,   ///< planes Y, U, V; chroma halved horizontally
    Y444,   ///< planes Y, U, V at full size
    GRAY8,  ///< one plane of luma
    RGB,
    BGR,
    RGBx,  ///< RGB and one unused byte
    BGRx,
    xRGB,
    xBGR,
    RGBA,  ///< straight alpha, laid over black
    BGRA,
    ARGB,
    ABGR,
};

/// How Y'CbCr became R'G'B'. Ignored for the RGB formats.
enum class ColourMatrix { Bt601, Bt709, Bt2020 };

/// Limited: Y' 16…235, Cb/Cr 16…240. Full: 0…255.
enum class ColourRange { Limited, Full };

/// A picture that somebody else owns; valid while the owner keeps it mapped.
struct FrameView {
    PixelFormat format = PixelFormat::I420;
    int width = 0;   ///< pixels
    int height = 0;  ///< pixels
    std::array<const std::uint8_t*, 4> planes{};
    std::array<int, 4> strides{};  ///< bytes from one row to the next, per plane
    ColourMatrix matrix = ColourMatrix::Bt601;
    ColourRange range = ColourRange::Limited;
};

}  // namespace seesay::vision
