// Formats by GStreamer's tables; colours by the textbook.
#include "tests/elements/overlay_fixtures.hpp"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <utility>

namespace seesay::overlay::testing {
namespace {

using vision::ColourMatrix;
using vision::ColourRange;
using vision::PixelFormat;

const std::vector<std::pair<PixelFormat, GstVideoFormat>>& formats() {
    static const std::vector<std::pair<PixelFormat, GstVideoFormat>> table{
        {PixelFormat::I420, GST_VIDEO_FORMAT_I420},   {PixelFormat::YV12, GST_VIDEO_FORMAT_YV12},
        {PixelFormat::NV12, GST_VIDEO_FORMAT_NV12},   {PixelFormat::NV21, GST_VIDEO_FORMAT_NV21},
        {PixelFormat::Y42B, GST_VIDEO_FORMAT_Y42B},   {PixelFormat::Y444, GST_VIDEO_FORMAT_Y444},
        {PixelFormat::GRAY8, GST_VIDEO_FORMAT_GRAY8}, {PixelFormat::RGB, GST_VIDEO_FORMAT_RGB},
        {PixelFormat::BGR, GST_VIDEO_FORMAT_BGR},     {PixelFormat::RGBx, GST_VIDEO_FORMAT_RGBx},
        {PixelFormat::BGRx, GST_VIDEO_FORMAT_BGRx},   {PixelFormat::xRGB, GST_VIDEO_FORMAT_xRGB},
        {PixelFormat::xBGR, GST_VIDEO_FORMAT_xBGR},   {PixelFormat::RGBA, GST_VIDEO_FORMAT_RGBA},
        {PixelFormat::BGRA, GST_VIDEO_FORMAT_BGRA},   {PixelFormat::ARGB, GST_VIDEO_FORMAT_ARGB},
        {PixelFormat::ABGR, GST_VIDEO_FORMAT_ABGR}};
    return table;
}

const GstVideoFormatInfo* describe(PixelFormat format) {
    for (const auto& [ours, theirs] : formats()) {
        if (ours == format) return gst_video_format_get_info(theirs);
    }
    return nullptr;
}

struct Luma {
    double red, green, blue;
};

Luma luma(ColourMatrix matrix) {
    if (matrix == ColourMatrix::Bt601) return {0.299, 0.587, 0.114};
    if (matrix == ColourMatrix::Bt709) return {0.2126, 0.7152, 0.0722};
    return {0.2627, 0.678, 0.0593};
}

/// Y', Cb, Cr as stored, or R, G, B, A: the order of GStreamer's components. `colour` is straight.
Rgba to_components(const FrameFormat& format, const Rgba& colour) {
    if (!GST_VIDEO_FORMAT_INFO_IS_YUV(describe(format.format)) &&
        !GST_VIDEO_FORMAT_INFO_IS_GRAY(describe(format.format))) {
        return colour;
    }
    const auto [r, g, b] = luma(format.matrix);
    const double y = (r * colour[0] + g * colour[1] + b * colour[2]) / 255.0;
    const double cb = (colour[2] / 255.0 - y) / (2 * (1 - b));
    const double cr = (colour[0] / 255.0 - y) / (2 * (1 - r));
    if (format.range == ColourRange::Full) return {255 * y, 128 + 255 * cb, 128 + 255 * cr, 255};
    return {16 + 219 * y, 128 + 224 * cb, 128 + 224 * cr, 255};
}

Rgba from_components(const FrameFormat& format, const Rgba& stored) {
    const GstVideoFormatInfo* info = describe(format.format);
    if (GST_VIDEO_FORMAT_INFO_IS_RGB(info)) return stored;
    const bool limited = format.range == ColourRange::Limited;
    const double y = limited ? (stored[0] - 16) / 219 : stored[0] / 255;
    const double cb =
        GST_VIDEO_FORMAT_INFO_IS_GRAY(info) ? 0 : (stored[1] - 128) / (limited ? 224 : 255);
    const double cr =
        GST_VIDEO_FORMAT_INFO_IS_GRAY(info) ? 0 : (stored[2] - 128) / (limited ? 224 : 255);
    const auto [kr, kg, kb] = luma(format.matrix);
    const double red = y + 2 * (1 - kr) * cr;
    const double blue = y + 2 * (1 - kb) * cb;
    const double green = (y - kr * red - kb * blue) / kg;
    const auto byte = [](double value) { return std::clamp(255 * value, 0.0, 255.0); };
    return {byte(red), byte(green), byte(blue), 255};
}

/// Where component `c` of the sample that covers pixel (x, y) lies.
std::size_t position(const GstVideoFormatInfo* info, const std::array<std::size_t, 4>& offsets,
                     const std::array<int, 4>& strides, int c, int x, int y) {
    const auto plane = static_cast<std::size_t>(GST_VIDEO_FORMAT_INFO_PLANE(info, c));
    return offsets[plane] +
           static_cast<std::size_t>((y >> GST_VIDEO_FORMAT_INFO_H_SUB(info, c)) * strides[plane] +
                                    (x >> GST_VIDEO_FORMAT_INFO_W_SUB(info, c)) *
                                        GST_VIDEO_FORMAT_INFO_PSTRIDE(info, c) +
                                    GST_VIDEO_FORMAT_INFO_POFFSET(info, c));
}

/// Premultiplied mean of the drawing over the frame pixels from (x, y) on that one sample covers.
Rgba mean_of(const PlacedImage& drawing, const FrameFormat& format, int x, int y, int across,
             int down) {
    Rgba sum{};
    int count = 0;
    for (int row = y; row < std::min(y + down, format.height); ++row) {
        for (int column = x; column < std::min(x + across, format.width); ++column, ++count) {
            const int dx = column - drawing.x;
            const int dy = row - drawing.y;
            if (dx < 0 || dy < 0 || dx >= drawing.image.width || dy >= drawing.image.height)
                continue;
            const std::uint32_t pixel =
                drawing.image.pixels[static_cast<std::size_t>(dy * drawing.image.width + dx)];
            sum[0] += (pixel >> 16U) & 0xFFU;
            sum[1] += (pixel >> 8U) & 0xFFU;
            sum[2] += pixel & 0xFFU;
            sum[3] += pixel >> 24U;
        }
    }
    for (double& channel : sum)
        channel /= count;
    return sum;
}

}  // namespace

std::vector<PixelFormat> all_formats() {
    std::vector<PixelFormat> all;
    for (const auto& [ours, theirs] : formats())
        all.push_back(ours);
    return all;
}

std::string name_of(PixelFormat format) {
    return GST_VIDEO_FORMAT_INFO_NAME(describe(format));
}

TestFrame::TestFrame(const FrameFormat& format) : format_(format) {
    const GstVideoFormatInfo* info = describe(format.format);
    std::size_t size = 0;
    for (guint plane = 0; plane < GST_VIDEO_FORMAT_INFO_N_PLANES(info); ++plane) {
        int bytes = 0;
        int rows = 0;
        for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(info); ++c) {
            if (GST_VIDEO_FORMAT_INFO_PLANE(info, c) != plane) continue;
            bytes = std::max(
                bytes, GST_VIDEO_SUB_SCALE(GST_VIDEO_FORMAT_INFO_W_SUB(info, c), format.width) *
                           GST_VIDEO_FORMAT_INFO_PSTRIDE(info, c));
            rows = GST_VIDEO_SUB_SCALE(GST_VIDEO_FORMAT_INFO_H_SUB(info, c), format.height);
        }
        offsets_[plane] = size;
        strides_[plane] = bytes + 7;
        size += static_cast<std::size_t>(strides_[plane]) * static_cast<std::size_t>(rows) + 16;
    }
    bytes_.resize(size);
}

WritableFrame TestFrame::writable() {
    WritableFrame frame;
    for (std::size_t plane = 0; plane < 4; ++plane) {
        frame.planes[plane] = bytes_.data() + offsets_[plane];
        frame.strides[plane] = strides_[plane];
    }
    return frame;
}

void TestFrame::fill_with_noise(unsigned seed) {
    std::mt19937 random(seed);
    for (std::uint8_t& byte : bytes_)
        byte = static_cast<std::uint8_t>(random());
}

void TestFrame::set_pixel(int x, int y, const Rgba& colour) {
    const GstVideoFormatInfo* info = describe(format_.format);
    const Rgba stored = to_components(format_, colour);
    for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(info); ++c) {
        bytes_[position(info, offsets_, strides_, static_cast<int>(c), x, y)] =
            static_cast<std::uint8_t>(std::lround(stored[c]));
    }
}

void TestFrame::fill(const Rgba& colour) {
    for (int y = 0; y < format_.height; ++y) {
        for (int x = 0; x < format_.width; ++x)
            set_pixel(x, y, colour);
    }
}

void TestFrame::fill_with_checker(int cell) {
    for (int y = 0; y < format_.height; ++y) {
        for (int x = 0; x < format_.width; ++x) {
            const double level = (x / cell + y / cell) % 2 == 0 ? 0.0 : 255.0;
            set_pixel(x, y, {level, level, level, 255.0});
        }
    }
}

Rgba TestFrame::pixel(int x, int y) const {
    const GstVideoFormatInfo* info = describe(format_.format);
    Rgba stored{0, 0, 0, 255};
    for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(info); ++c) {
        stored[c] = bytes_[position(info, offsets_, strides_, static_cast<int>(c), x, y)];
    }
    return from_components(format_, stored);
}

/// `use(component, x, y, position, premultiplied mean)`.
template <typename Use>
void TestFrame::for_each_covered_sample(const PlacedImage& drawing, Use use) const {
    const GstVideoFormatInfo* info = describe(format_.format);
    for (int c = 0; c < static_cast<int>(GST_VIDEO_FORMAT_INFO_N_COMPONENTS(info)); ++c) {
        const int across = 1 << GST_VIDEO_FORMAT_INFO_W_SUB(info, c);
        const int down = 1 << GST_VIDEO_FORMAT_INFO_H_SUB(info, c);
        for (int y = 0; y < format_.height; y += down) {
            for (int x = 0; x < format_.width; x += across) {
                const Rgba over = mean_of(drawing, format_, x, y, across, down);
                if (over[3] > 0) use(c, x, y, position(info, offsets_, strides_, c, x, y), over);
            }
        }
    }
}

std::vector<double> TestFrame::blended_exactly(const PlacedImage& drawing) const {
    const GstVideoFormatInfo* info = describe(format_.format);
    std::vector<double> exact(bytes_.begin(), bytes_.end());
    for_each_covered_sample(drawing, [&](int c, int x, int y, std::size_t at, const Rgba& over) {
        const double alpha = over[3] / 255;
        const Rgba straight =
            to_components(format_, {over[0] / alpha, over[1] / alpha, over[2] / alpha, 255});
        const double own = straight[static_cast<std::size_t>(c)];
        if (!GST_VIDEO_FORMAT_INFO_HAS_ALPHA(info)) {
            exact[at] = alpha * own + (1 - alpha) * bytes_[at];
            return;
        }
        const double below = bytes_[position(info, offsets_, strides_, 3, x, y)] / 255.0;
        const double result = alpha + below * (1 - alpha);
        exact[at] =
            c == 3 ? 255 * result : (alpha * own + below * (1 - alpha) * bytes_[at]) / result;
    });
    return exact;
}

std::vector<bool> TestFrame::covered_by(const PlacedImage& drawing) const {
    std::vector<bool> covered(bytes_.size(), false);
    for_each_covered_sample(
        drawing, [&](int, int, int, std::size_t at, const Rgba&) { covered[at] = true; });
    return covered;
}

double luminance(const Rgba& colour) {
    const auto linear = [](double value) {
        const double part = value / 255;
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
}

double contrast(double luminance_a, double luminance_b) {
    return (std::max(luminance_a, luminance_b) + 0.05) /
           (std::min(luminance_a, luminance_b) + 0.05);
}

ArgbImage noisy_drawing(int width, int height, unsigned seed) {
    std::mt19937 random(seed);
    ArgbImage image{width, height, {}};
    for (int i = 0; i < width * height; ++i) {
        const std::uint32_t alpha = random() % 2 == 0 ? 0 : random() % 256;
        const auto channel = [&] { return static_cast<std::uint32_t>(random() % (alpha + 1)); };
        image.pixels.push_back(alpha << 24U | channel() << 16U | channel() << 8U | channel());
    }
    return image;
}

std::shared_ptr<language::Caption> make_caption(const std::string& text) {
    auto caption = std::make_shared<language::Caption>();
    caption->text = text;
    caption->language = "en";
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        caption->tokens.push_back({static_cast<int>(caption->tokens.size()) + 4, word, -0.5F});
    }
    caption->frame.pts_ns = 0;
    return caption;
}

void set_one_hot_attention(language::Caption& caption, int rows, int columns,
                           const std::vector<int>& attended) {
    caption.geometry.kind = vision::Geometry::Kind::Grid;
    caption.geometry.rows = rows;
    caption.geometry.columns = columns;
    caption.attended = rows * columns;
    caption.attention.assign(caption.tokens.size() * static_cast<std::size_t>(caption.attended),
                             0.F);
    for (std::size_t word = 0; word < caption.tokens.size(); ++word) {
        caption.attention[word * static_cast<std::size_t>(caption.attended) +
                          static_cast<std::size_t>(attended.at(word))] = 1.F;
    }
}

std::shared_ptr<const elements::CaptionUpdate> make_update(
    std::shared_ptr<const language::Caption> caption, std::uint64_t segment, std::int64_t pts,
    std::int64_t hold) {
    auto update = std::make_shared<elements::CaptionUpdate>();
    auto dated = std::make_shared<language::Caption>(*caption);
    dated->frame.pts_ns = pts;
    update->caption = std::move(dated);
    update->segment = {segment, 1, pts, pts + hold, false};
    return update;
}

}  // namespace seesay::overlay::testing
