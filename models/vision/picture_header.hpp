// What the first bytes of a picture file say, read without decoding: format, size, how it must be
// turned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace seesay::vision {

/// The picture formats that are read.
enum class PictureFormat { Png, Jpeg, Webp, Bmp, Tiff, Pnm };

/// "PNG" and so on.
const char* name_of(PictureFormat format);

/// The format that the first bytes announce; none for anything else (also films).
std::optional<PictureFormat> picture_format(std::span<const std::uint8_t> bytes);

struct PictureHeader {
    PictureFormat format = PictureFormat::Png;
    std::int64_t width = 0;  ///< pixels as stored, before `orientation`
    std::int64_t height = 0;
    int orientation = 1;  ///< EXIF tag 0x0112: 1…8
};

/// Reads the header and checks that the file is whole as far as its structure tells (PNG: every
/// chunk and its CRC; JPEG: the end marker). Throws Error starting with `origin`.
PictureHeader read_picture_header(std::span<const std::uint8_t> bytes, const std::string& origin);

}  // namespace seesay::vision
