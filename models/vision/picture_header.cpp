// Header parsers of the picture formats. Nothing here allocates by what a header claims.
#include "models/vision/picture_header.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "models/error.hpp"
#include "models/vision/byte_reader.hpp"

namespace seesay::vision {
namespace {

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void cut_short(const std::string& origin, PictureFormat format) {
    throw Error(origin + ": the " + name_of(format) + " picture is cut short; get the whole file");
}

struct TiffTags {
    std::int64_t width = 0;
    std::int64_t height = 0;
    int orientation = 1;
};

// First directory of a TIFF structure, which EXIF data is too.
TiffTags read_tiff_tags(Bytes bytes) {
    TiffTags tags;
    const ByteReader reader(bytes, bytes.size() > 1 && bytes[0] == 'M');
    const std::size_t directory = reader.number(4, 4);
    const std::uint32_t entries = reader.number(directory, 2);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::size_t entry = directory + 2 + std::size_t{12} * i;
        const std::uint32_t tag = reader.number(entry, 2);
        const std::uint32_t value =
            reader.number(entry + 8, reader.number(entry + 2, 2) == 3 ? 2 : 4);
        if (tag == 256) tags.width = value;
        if (tag == 257) tags.height = value;
        if (tag == 274 && value >= 1 && value <= 8) tags.orientation = static_cast<int>(value);
    }
    return tags;
}

// Damaged EXIF data costs the turn, not the picture.
int exif_orientation(Bytes bytes) {
    const ByteReader reader(bytes);
    const std::size_t start = reader.matches(0, "Exif") ? 6 : 0;
    if (!reader.matches(start, "II*") && !reader.matches(start, "MM")) return 1;
    try {
        return read_tiff_tags(reader.rest(start)).orientation;
    } catch (const EndOfBytes&) {
        return 1;
    }
}

PictureHeader read_png(Bytes bytes, const std::string& origin) {
    const ByteReader reader(bytes);
    PictureHeader header{PictureFormat::Png, reader.number(16, 4), reader.number(20, 4), 1};
    for (std::size_t at = 8;;) {
        const std::uint32_t length = reader.number(at, 4);
        const Bytes checked = reader.slice(at + 4, std::size_t{length} + 4);
        const auto crc = crc32(0, checked.data(), static_cast<uInt>(checked.size()));
        if (crc != reader.number(at + 8 + length, 4)) {
            throw Error(origin +
                        ": the PNG picture is damaged (a checksum is wrong); get the file again");
        }
        if (reader.matches(at + 4, "IEND")) return header;
        if (reader.matches(at + 4, "eXIf"))
            header.orientation = exif_orientation(checked.subspan(4));
        at += std::size_t{length} + 12;
    }
}

bool is_start_of_frame(std::uint8_t marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

PictureHeader read_jpeg(Bytes bytes, const std::string& origin) {
    const ByteReader reader(bytes);
    PictureHeader header{PictureFormat::Jpeg, 0, 0, 1};
    std::size_t at = 2;
    for (;;) {
        while (reader.byte(at) != 0xFF)
            ++at;  // stray bytes between segments are skipped, as decoders do
        while (reader.byte(at) == 0xFF)
            ++at;
        const std::uint8_t marker = reader.byte(at++);
        if (marker == 0xDA) break;
        if (marker == 0xD9) cut_short(origin, PictureFormat::Jpeg);
        if (marker == 0 || marker == 1 || (marker >= 0xD0 && marker <= 0xD8)) continue;
        const std::size_t length = reader.number(at, 2);
        if (is_start_of_frame(marker)) {
            header.height = reader.number(at + 3, 2);
            header.width = reader.number(at + 5, 2);
        }
        if (marker == 0xE1 && length > 8 && reader.matches(at + 2, "Exif")) {
            header.orientation = exif_orientation(reader.slice(at + 2, length - 2));
        }
        at += std::max<std::size_t>(length, 2);
    }
    const std::uint8_t end[] = {0xFF, 0xD9};
    if (std::find_end(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), end, end + 2) ==
        bytes.end()) {
        cut_short(origin, PictureFormat::Jpeg);
    }
    return header;
}

PictureHeader read_webp(Bytes bytes, const std::string& origin) {
    const ByteReader reader(bytes, /*big_endian=*/false);
    PictureHeader header{PictureFormat::Webp, 0, 0, 1};
    if (reader.number(4, 4) > reader.size() - 8) cut_short(origin, PictureFormat::Webp);
    if (reader.matches(12, "VP8 ")) {
        header.width = reader.number(26, 2) & 0x3FFF;
        header.height = reader.number(28, 2) & 0x3FFF;
    } else if (reader.matches(12, "VP8L")) {
        const std::uint32_t bits = reader.number(21, 4);
        header.width = (bits & 0x3FFF) + 1;
        header.height = (bits >> 14 & 0x3FFF) + 1;
    } else if (reader.matches(12, "VP8X")) {
        if ((reader.byte(20) & 2) != 0) {
            throw Error(origin +
                        ": an animated WebP is not a still picture; turn it into a film first");
        }
        header.width = std::int64_t{reader.number(24, 3)} + 1;
        header.height = std::int64_t{reader.number(27, 3)} + 1;
        for (std::size_t at = 12; at + 8 <= reader.size();) {
            const std::size_t length = reader.number(at + 4, 4);
            if (reader.matches(at, "EXIF"))
                header.orientation = exif_orientation(reader.slice(at + 8, length));
            at += 8 + length + (length & 1);
        }
    }
    return header;
}

// Decoders complain about missing rows on their own, to stderr: what is stored plainly is counted
// before.
void check_plain_size(std::int64_t needed, const ByteReader& reader) {
    if (needed > static_cast<std::int64_t>(reader.size())) throw EndOfBytes{};
}

PictureHeader read_bmp(Bytes bytes) {
    const ByteReader reader(bytes, /*big_endian=*/false);
    PictureHeader header{PictureFormat::Bmp, 0, 0, 1};
    const bool core = reader.number(14, 4) == 12;
    if (core) {
        header.width = reader.number(18, 2);
        header.height = reader.number(20, 2);
    } else {
        header.width = static_cast<std::int32_t>(reader.number(18, 4));
        header.height = std::abs(std::int64_t{static_cast<std::int32_t>(reader.number(22, 4))});
    }
    const std::int64_t bits = reader.number(core ? 24 : 28, 2);
    const bool plausible = header.width < 1 << 20 && header.height < 1 << 20 && bits <= 32;
    if (plausible && (core || reader.number(30, 4) == 0)) {  // not compressed
        check_plain_size(reader.number(10, 4) + (header.width * bits + 31) / 32 * 4 * header.height,
                         reader);
    }
    return header;
}

PictureHeader read_pnm(Bytes bytes) {
    const ByteReader reader(bytes);
    std::size_t at = 2;
    const auto number = [&] {
        const auto is_digit = [&] { return reader.byte(at) >= '0' && reader.byte(at) <= '9'; };
        while (!is_digit()) {
            if (reader.byte(at) == '#') {
                while (reader.byte(at) != '\n')
                    ++at;
            }
            ++at;
        }
        std::int64_t value = 0;
        for (; is_digit(); ++at)
            value = std::min<std::int64_t>(value * 10 + reader.byte(at) - '0', 1 << 30);
        return value;
    };
    const PictureHeader header{PictureFormat::Pnm, number(), number(), 1};
    const char kind = static_cast<char>(bytes[1]);
    if (kind == '4') {
        check_plain_size(static_cast<std::int64_t>(at) + 1 + (header.width + 7) / 8 * header.height,
                         reader);
    } else if (kind == '5' || kind == '6') {
        const std::int64_t sample = (kind == '6' ? 3 : 1) * (number() > 255 ? 2 : 1);
        check_plain_size(static_cast<std::int64_t>(at) + 1 + header.width * header.height * sample,
                         reader);
    }
    return header;
}

PictureHeader read_format(PictureFormat format, Bytes bytes, const std::string& origin) {
    switch (format) {
        case PictureFormat::Png:
            return read_png(bytes, origin);
        case PictureFormat::Jpeg:
            return read_jpeg(bytes, origin);
        case PictureFormat::Webp:
            return read_webp(bytes, origin);
        case PictureFormat::Bmp:
            return read_bmp(bytes);
        case PictureFormat::Pnm:
            return read_pnm(bytes);
        case PictureFormat::Tiff:
            break;
    }
    const TiffTags tags = read_tiff_tags(bytes);
    return {PictureFormat::Tiff, tags.width, tags.height, tags.orientation};
}

}  // namespace

const char* name_of(PictureFormat format) {
    switch (format) {
        case PictureFormat::Png:
            return "PNG";
        case PictureFormat::Jpeg:
            return "JPEG";
        case PictureFormat::Webp:
            return "WebP";
        case PictureFormat::Bmp:
            return "BMP";
        case PictureFormat::Tiff:
            return "TIFF";
        case PictureFormat::Pnm:
            return "PNM";
    }
    return "";
}

std::optional<PictureFormat> picture_format(Bytes bytes) {
    const ByteReader reader(bytes);
    if (reader.matches(0, "\x89PNG\r\n\x1a\n")) return PictureFormat::Png;
    if (reader.matches(0, "\xFF\xD8\xFF")) return PictureFormat::Jpeg;
    if (reader.matches(0, "RIFF") && reader.matches(8, "WEBPVP8")) return PictureFormat::Webp;
    if (reader.matches(0, "BM") && bytes.size() >= 26) return PictureFormat::Bmp;
    if (bytes.size() >= 8 && ((reader.matches(0, "II*") && bytes[3] == 0) ||
                              (reader.matches(0, "MM") && bytes[2] == 0 && bytes[3] == '*'))) {
        return PictureFormat::Tiff;
    }
    if (bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
        (bytes[2] == ' ' || (bytes[2] >= '\t' && bytes[2] <= '\r'))) {
        return PictureFormat::Pnm;
    }
    return std::nullopt;
}

PictureHeader read_picture_header(Bytes bytes, const std::string& origin) {
    if (bytes.empty()) throw Error(origin + ": the file is empty");
    const std::optional<PictureFormat> format = picture_format(bytes);
    if (!format) {
        throw Error(origin + ": not a picture that seesay reads (PNG, JPEG, WebP, BMP, TIFF, PNM)");
    }
    PictureHeader header;
    try {
        header = read_format(*format, bytes, origin);
    } catch (const EndOfBytes&) {
        cut_short(origin, *format);
    }
    if (header.width <= 0 || header.height <= 0) {
        throw Error(origin + ": the " + name_of(*format) + " header gives no usable size");
    }
    return header;
}

}  // namespace seesay::vision
