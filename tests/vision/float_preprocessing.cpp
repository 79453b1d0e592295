// Slow and plain: every output sample is a double sum over the triangle around its centre.
#include "tests/vision/float_preprocessing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace seesay::vision {
namespace {

using Sampler = std::function<double(int, int)>;  // (x, y) → value of one channel

bool is_chroma_halved(PixelFormat format) {
    return format == PixelFormat::I420 || format == PixelFormat::YV12 ||
           format == PixelFormat::NV12 || format == PixelFormat::NV21;
}

// Weights of the samples 0…size-1 for the output sample centred at `centre`.
std::vector<double> triangle(int size, double centre, double scale) {
    const double half = std::max(1.0, scale);
    std::vector<double> weights(size);
    double sum = 0;
    for (int i = 0; i < size; ++i) {
        weights[i] = std::max(0.0, 1 - std::abs(i + 0.5 - centre) / half);
        sum += weights[i];
    }
    for (double& weight : weights)
        weight /= sum;
    return weights;
}

struct Window {
    double left, top, right, bottom;
    int x, y, width, height;
};

Window window_of(const FrameView& f, const Preprocessing& p) {
    Window w{0, 0, double(f.width), double(f.height), 0, 0, p.width, p.height};
    if (p.fit == Fit::Crop) {
        if (double(f.width) / f.height > double(p.width) / p.height) {
            const double shown = double(f.height) * p.width / p.height;
            w.left = (f.width - shown) / 2;
            w.right = w.left + shown;
        } else {
            const double shown = double(f.width) * p.height / p.width;
            w.top = (f.height - shown) / 2;
            w.bottom = w.top + shown;
        }
    } else if (p.fit == Fit::Letterbox) {
        if (double(f.width) / f.height > double(p.width) / p.height) {
            w.height = std::max(1, int(std::lround(double(p.width) * f.height / f.width)));
        } else {
            w.width = std::max(1, int(std::lround(double(p.height) * f.width / f.height)));
        }
        w.x = (p.width - w.width) / 2;
        w.y = (p.height - w.height) / 2;
    }
    return w;
}

// A channel of `width` × `height` samples, each `x_step` × `y_step` luma samples, the first centred
// at luma column `x_centre`, scaled to the window.
std::vector<double> scale_channel(const Sampler& sample, int width, int height, double x_step,
                                  double y_step, double x_centre, const Window& w) {
    std::vector<double> result;
    const double x_scale = (w.right - w.left) / w.width;
    const double y_scale = (w.bottom - w.top) / w.height;
    for (int y = 0; y < w.height; ++y) {
        const auto down =
            triangle(height, (w.top + (y + 0.5) * y_scale) / y_step, y_scale / y_step);
        for (int x = 0; x < w.width; ++x) {
            // Sample 0 is centred at x_centre, which is 0.5 in the channel's own coordinate.
            const double centre = (w.left + (x + 0.5) * x_scale - x_centre) / x_step + 0.5;
            const auto across = triangle(width, centre, x_scale / x_step);
            double sum = 0;
            for (int r = 0; r < height; ++r) {
                if (down[r] == 0) continue;
                for (int c = 0; c < width; ++c) {
                    if (across[c] != 0) sum += down[r] * across[c] * sample(c, r);
                }
            }
            result.push_back(sum);
        }
    }
    return result;
}

// Byte offsets of R, G, B and alpha (-1: none) in a pixel, and its size.
struct Packing {
    int red, green, blue, alpha, size;
};

Packing packing_of(PixelFormat format) {
    switch (format) {
        case PixelFormat::RGB:
            return {0, 1, 2, -1, 3};
        case PixelFormat::BGR:
            return {2, 1, 0, -1, 3};
        case PixelFormat::RGBx:
            return {0, 1, 2, -1, 4};
        case PixelFormat::BGRx:
            return {2, 1, 0, -1, 4};
        case PixelFormat::xRGB:
            return {1, 2, 3, -1, 4};
        case PixelFormat::xBGR:
            return {3, 2, 1, -1, 4};
        case PixelFormat::RGBA:
            return {0, 1, 2, 3, 4};
        case PixelFormat::BGRA:
            return {2, 1, 0, 3, 4};
        case PixelFormat::ARGB:
            return {1, 2, 3, 0, 4};
        case PixelFormat::ABGR:
            return {3, 2, 1, 0, 4};
        default:
            return {0, 0, 0, -1, 0};
    }
}

std::vector<std::vector<double>> rgb_channels(const FrameView& f, const Window& w,
                                              const Packing& p) {
    std::vector<std::vector<double>> channels;
    for (const int offset : {p.red, p.green, p.blue}) {
        const Sampler sample = [&, offset](int x, int y) {
            const std::uint8_t* pixel = f.planes[0] + std::ptrdiff_t{y} * f.strides[0] + x * p.size;
            return pixel[offset] * (p.alpha < 0 ? 1.0 : pixel[p.alpha] / 255.0);
        };
        channels.push_back(scale_channel(sample, f.width, f.height, 1, 1, 0.5, w));
    }
    return channels;
}

std::vector<std::vector<double>> yuv_channels(const FrameView& f, const Window& w) {
    const auto luma = [&](int x, int y) {
        return double(f.planes[0][std::ptrdiff_t{y} * f.strides[0] + x]);
    };
    std::vector<std::vector<double>> channels{scale_channel(luma, f.width, f.height, 1, 1, 0.5, w)};
    if (f.format == PixelFormat::GRAY8) {
        channels.resize(3, std::vector<double>(channels[0].size(), 128.0));
        return channels;
    }
    const bool half_height = is_chroma_halved(f.format);
    const bool half_width = half_height || f.format == PixelFormat::Y42B;
    const bool interleaved = f.format == PixelFormat::NV12 || f.format == PixelFormat::NV21;
    const bool v_first = f.format == PixelFormat::YV12 || f.format == PixelFormat::NV21;
    for (int c = 0; c < 2; ++c) {
        const int place = v_first ? 1 - c : c;
        const int plane = interleaved ? 1 : 1 + place;
        const Sampler sample = [&, plane, place, interleaved](int x, int y) {
            return double(f.planes[plane][std::ptrdiff_t{y} * f.strides[plane] +
                                          (interleaved ? 2 * x + place : x)]);
        };
        channels.push_back(scale_channel(sample, half_width ? (f.width + 1) / 2 : f.width,
                                         half_height ? (f.height + 1) / 2 : f.height,
                                         half_width ? 2 : 1, half_height ? 2 : 1, 0.5, w));
    }
    return channels;
}

std::array<double, 3> to_rgb(const FrameView& f, double y, double cb, double cr) {
    const double kr = f.matrix == ColourMatrix::Bt601   ? 0.299
                      : f.matrix == ColourMatrix::Bt709 ? 0.2126
                                                        : 0.2627;
    const double kb = f.matrix == ColourMatrix::Bt601   ? 0.114
                      : f.matrix == ColourMatrix::Bt709 ? 0.0722
                                                        : 0.0593;
    const bool limited = f.range == ColourRange::Limited;
    const double luma = limited ? (y - 16) / 219 : y / 255;
    const double pb = limited ? (cb - 128) / 224 : (cb - 128) / 255;
    const double pr = limited ? (cr - 128) / 224 : (cr - 128) / 255;
    const double red = luma + 2 * (1 - kr) * pr;
    const double blue = luma + 2 * (1 - kb) * pb;
    return {255 * red, 255 * (luma - kr * red - kb * blue) / (1 - kr - kb), 255 * blue};
}

int rows_of_plane(PixelFormat format, int plane, int height) {
    return plane > 0 && is_chroma_halved(format) ? (height + 1) / 2 : height;
}

int bytes_of_row(PixelFormat format, int plane, int width) {
    const int packed = packing_of(format).size;
    if (packed > 0) return width * packed;
    if (plane == 0 || format == PixelFormat::Y444) return width;
    const bool interleaved = format == PixelFormat::NV12 || format == PixelFormat::NV21;
    return (width + 1) / 2 * (interleaved ? 2 : 1);
}

int planes_of(PixelFormat format) {
    if (packing_of(format).size > 0 || format == PixelFormat::GRAY8) return 1;
    return format == PixelFormat::NV12 || format == PixelFormat::NV21 ? 2 : 3;
}

}  // namespace

OwnedFrame::OwnedFrame(PixelFormat format, int width, int height, int row_padding) {
    frame.format = format;
    frame.width = width;
    frame.height = height;
    for (int plane = 0; plane < planes_of(format); ++plane) {
        const int bytes = bytes_of_row(format, plane, width);
        const int stride = bytes + row_padding;
        std::vector<std::uint8_t> rows(
            static_cast<std::size_t>(stride) * rows_of_plane(format, plane, height), 255);
        for (int y = 0; y < rows_of_plane(format, plane, height); ++y) {
            for (int x = 0; x < bytes; ++x) {
                rows[static_cast<std::size_t>(y) * stride + x] = static_cast<std::uint8_t>(
                    (x * 37 + y * 61 + plane * 90 + (x * y) % 23 * 9) % 256);
            }
        }
        memory.push_back(std::move(rows));
        frame.planes[plane] = memory.back().data();
        frame.strides[plane] = stride;
    }
}

std::vector<float> float_preprocess(const FrameView& frame, const Preprocessing& preprocessing) {
    const Window w = window_of(frame, preprocessing);
    const Packing packing = packing_of(frame.format);
    const auto channels =
        packing.size > 0 ? rgb_channels(frame, w, packing) : yuv_channels(frame, w);
    std::vector<float> result;
    for (int i = 0; i < preprocessing.width * preprocessing.height; ++i) {
        for (int c = 0; c < 3; ++c)
            result.push_back(preprocessing.fill[c]);
    }
    for (int y = 0; y < w.height; ++y) {
        for (int x = 0; x < w.width; ++x) {
            const std::size_t i = static_cast<std::size_t>(y) * w.width + x;
            std::array<double, 3> rgb{channels[0][i], channels[1][i], channels[2][i]};
            if (packing.size == 0) rgb = to_rgb(frame, rgb[0], rgb[1], rgb[2]);
            for (int c = 0; c < 3; ++c) {
                result[3 * (static_cast<std::size_t>(w.y + y) * preprocessing.width + w.x + x) +
                       c] = static_cast<float>(std::clamp(rgb[c], 0.0, 255.0));
            }
        }
    }
    return result;
}

}  // namespace seesay::vision
