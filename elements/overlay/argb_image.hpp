// A drawn picture as Cairo draws it, and where in the frame it belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seesay::overlay {

/// `[height, width]` words 0xAARRGGBB in the machine's byte order, colour premultiplied with alpha,
/// rows packed (CAIRO_FORMAT_ARGB32; GStreamer's BGRA on a little-endian machine).
struct ArgbImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint32_t> pixels;
};

/// An image whose top left pixel lies on pixel (x, y) of the frame. It may reach beyond the frame.
struct PlacedImage {
    int x = 0;
    int y = 0;
    ArgbImage image;

    /// The drawn pixels of the frame's row `frame_row`.
    const std::uint32_t* row(int frame_row) const {
        return image.pixels.data() + static_cast<std::ptrdiff_t>(frame_row - y) * image.width;
    }
};

}  // namespace seesay::overlay
