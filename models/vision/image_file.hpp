// Picture files → Image, upright, 8-bit RGB, whatever the file holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "models/vision/frame_view.hpp"
#include "models/vision/image.hpp"

namespace seesay::vision {

/// Pictures with more pixels than this are refused before anything is decoded: a few kilobytes can
/// announce gigabytes.
inline constexpr std::int64_t max_picture_pixels = 100'000'000;

/// Decodes a PNG, JPEG, WebP, BMP, TIFF or PNM file in memory. The EXIF turn is applied; grey and
/// palette become RGB, 16-bit is rounded to 8, CMYK converted, alpha laid over black. `origin` (a
/// file name) starts every message. Throws Error for anything else, for damaged or cut files, and
/// for more than `max_pixels`.
Image decode_image(std::span<const std::uint8_t> bytes, const std::string& origin,
                   std::int64_t max_pixels = max_picture_pixels);

/// The same from a file. Throws Error also for a file that cannot be read.
Image read_image(const std::filesystem::path& file, std::int64_t max_pixels = max_picture_pixels);

/// True if the file starts as one of the formats above does. False also for a file that cannot be
/// read.
bool is_picture_file(const std::filesystem::path& file);

/// The picture as a frame: format RGB, one plane. Valid as long as `image` is not changed.
FrameView view(const Image& image);

}  // namespace seesay::vision
