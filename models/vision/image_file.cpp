// Picture files through OpenCV's decoders, with the header checked before and every sample kind
// brought to 8-bit RGB.
#include "models/vision/image_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "models/error.hpp"
#include "models/vision/picture_header.hpp"

namespace seesay::vision {
namespace {

// A file larger than this holds no picture below the pixel limit in any sensible encoding.
constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 30;

cv::Mat decode(std::span<const std::uint8_t> bytes, const PictureHeader& header,
               const std::string& origin) {
    cv::Mat decoded;
    std::string reason = "its data cannot be decoded";
    try {
        // UNCHANGED: the other modes drop alpha.
        const cv::Mat input(
            1, static_cast<int>(bytes.size()), CV_8U,
            const_cast<std::uint8_t*>(bytes.data()));  // NOLINT: cv::Mat knows no const data
        decoded = cv::imdecode(input, cv::IMREAD_UNCHANGED);
    } catch (const cv::Exception& error) {
        reason = error.err;
    }
    if (decoded.empty()) {
        throw Error(origin + ": the " + name_of(header.format) +
                    " picture is damaged or of an unusual kind (" + reason + ")");
    }
    return decoded;
}

cv::Mat to_8_bit(const cv::Mat& decoded, const PictureHeader& header, const std::string& origin) {
    if (decoded.depth() == CV_8U) return decoded;
    if (decoded.depth() != CV_16U) {
        throw Error(origin + ": " + name_of(header.format) +
                    " pictures with floating-point, signed or 32-bit samples are not read; save it "
                    "with 8 or 16 bits");
    }
    cv::Mat narrow;
    decoded.convertTo(narrow, CV_8U, 255.0 / 65535.0);
    return narrow;
}

void lay_over_black(const cv::Mat& bgra, cv::Mat& rgb) {
    for (int y = 0; y < bgra.rows; ++y) {
        const std::uint8_t* in = bgra.ptr(y);
        std::uint8_t* out = rgb.ptr(y);
        for (int x = 0; x < bgra.cols; ++x, in += 4, out += 3) {
            for (int c = 0; c < 3; ++c)
                out[c] = static_cast<std::uint8_t>((in[2 - c] * in[3] + 127) / 255);
        }
    }
}

// The transformation that EXIF orientation `orientation` asks for.
cv::Mat upright(const cv::Mat& stored, int orientation) {
    cv::Mat turned = stored;
    if (orientation >= 5) cv::transpose(stored, turned);  // 5…8 swap the sides
    cv::Mat result;
    switch (orientation) {
        case 2:
        case 6:
            cv::flip(turned, result, 1);
            return result;
        case 3:
        case 7:
            cv::flip(turned, result, -1);
            return result;
        case 4:
        case 8:
            cv::flip(turned, result, 0);
            return result;
        default:
            return turned;
    }
}

}  // namespace

Image decode_image(std::span<const std::uint8_t> bytes, const std::string& origin,
                   std::int64_t max_pixels) {
    if (bytes.size() > max_file_bytes)
        throw Error(origin + ": larger than 1 GiB, which no picture may be here");
    const PictureHeader header = read_picture_header(bytes, origin);
    if (header.width > max_pixels / header.height) {
        throw Error(origin + ": " + std::to_string(header.width) + "x" +
                    std::to_string(header.height) + " pixels is more than the limit of " +
                    std::to_string(max_pixels / 1'000'000) + " million; make the picture smaller");
    }
    cv::Mat decoded = to_8_bit(decode(bytes, header, origin), header, origin);
    // OpenCV turns TIFF pictures itself, in every read mode.
    if (header.format != PictureFormat::Tiff) decoded = upright(decoded, header.orientation);

    Image image{decoded.cols, decoded.rows, {}};
    image.pixels.resize(std::size_t{3} * decoded.total());
    cv::Mat rgb(decoded.rows, decoded.cols, CV_8UC3, image.pixels.data());
    switch (decoded.channels()) {
        case 1:
            cv::cvtColor(decoded, rgb, cv::COLOR_GRAY2RGB);
            break;
        case 3:
            cv::cvtColor(decoded, rgb, cv::COLOR_BGR2RGB);
            break;
        case 4:
            lay_over_black(decoded, rgb);
            break;
        default:
            throw Error(origin + ": pictures with " + std::to_string(decoded.channels()) +
                        " channels are not read");
    }
    return image;
}

Image read_image(const std::filesystem::path& file, std::int64_t max_pixels) {
    std::error_code failure;
    if (std::filesystem::is_directory(file, failure))
        throw Error(file.string() + ": a folder, not a picture");
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    std::ifstream stream;
    errno = 0;
    if (!failure) stream.open(file, std::ios::binary);
    if (failure || !stream) {
        const std::string reason = failure ? failure.message() : std::strerror(errno);
        throw Error(file.string() + ": the picture cannot be read: " + reason);
    }
    if (size > max_file_bytes)
        throw Error(file.string() + ": larger than 1 GiB, which no picture may be here");
    std::vector<std::uint8_t> bytes(size);
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (stream.gcount() != static_cast<std::streamsize>(size)) {
        throw Error(file.string() + ": the picture cannot be read to its end");
    }
    return decode_image(bytes, file.string(), max_pixels);
}

bool is_picture_file(const std::filesystem::path& file) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure)) return false;
    std::ifstream stream(file, std::ios::binary);
    std::array<char, 32> start{};
    stream.read(start.data(), start.size());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(start.data());
    return picture_format({bytes, static_cast<std::size_t>(stream.gcount())}).has_value();
}

FrameView view(const Image& image) {
    FrameView frame;
    frame.format = PixelFormat::RGB;
    frame.width = image.width;
    frame.height = image.height;
    frame.planes[0] = image.pixels.data();
    frame.strides[0] = 3 * image.width;
    frame.range = ColourRange::Full;
    return frame;
}

}  // namespace seesay::vision
