// A drawn picture as Cairo draws it, and where in the frame it belongs.
#pragma once

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
};

}  // namespace seesay::overlay
