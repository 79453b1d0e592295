// Resampling of each plane row by row into the calling thread's scratch, then colour conversion
// into the result.
#include "models/vision/preprocessing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/vision/resampling.hpp"
#include "models/vision/resampling_kernels.hpp"

namespace seesay::vision {
namespace {

constexpr int largest_side = 65535;
constexpr int largest_input = 4096;

// One plane of a format: where it lies and which of its channels are the three that colour
// conversion takes.
struct PlaneLayout {
    int plane = 0;
    RowLayout rows = RowLayout::Single;
    bool half_width = false;
    bool half_height = false;
    std::array<int, 4> inputs{
        0, -1, -1, -1};  ///< per channel: its place among the three inputs, -1 for unused
};

int channels_of(RowLayout layout) {
    switch (layout) {
        case RowLayout::Single:
            return 1;
        case RowLayout::Pairs:
            return 2;
        case RowLayout::Triples:
            return 3;
        default:
            return 4;
    }
}

std::vector<PlaneLayout> planar(bool half_width, bool half_height, int u, int v) {
    return {{0, RowLayout::Single, false, false, {0, -1, -1, -1}},
            {1, RowLayout::Single, half_width, half_height, {u, -1, -1, -1}},
            {2, RowLayout::Single, half_width, half_height, {v, -1, -1, -1}}};
}

std::vector<PlaneLayout> semi_planar(int u, int v) {
    return {{0, RowLayout::Single, false, false, {0, -1, -1, -1}},
            {1, RowLayout::Pairs, true, true, {u, v, -1, -1}}};
}

std::vector<PlaneLayout> packed(RowLayout rows, std::array<int, 4> inputs) {
    return {{0, rows, false, false, inputs}};
}

std::vector<PlaneLayout> planes_of(PixelFormat format) {
    switch (format) {
        case PixelFormat::I420:
            return planar(true, true, 1, 2);
        case PixelFormat::YV12:
            return planar(true, true, 2, 1);
        case PixelFormat::NV12:
            return semi_planar(1, 2);
        case PixelFormat::NV21:
            return semi_planar(2, 1);
        case PixelFormat::Y42B:
            return planar(true, false, 1, 2);
        case PixelFormat::Y444:
            return planar(false, false, 1, 2);
        case PixelFormat::GRAY8:
            return packed(RowLayout::Single, {0, -1, -1, -1});
        case PixelFormat::RGB:
            return packed(RowLayout::Triples, {0, 1, 2, -1});
        case PixelFormat::BGR:
            return packed(RowLayout::Triples, {2, 1, 0, -1});
        case PixelFormat::RGBx:
            return packed(RowLayout::Quadruples, {0, 1, 2, -1});
        case PixelFormat::BGRx:
            return packed(RowLayout::Quadruples, {2, 1, 0, -1});
        case PixelFormat::xRGB:
            return packed(RowLayout::Quadruples, {-1, 0, 1, 2});
        case PixelFormat::xBGR:
            return packed(RowLayout::Quadruples, {-1, 2, 1, 0});
        case PixelFormat::RGBA:
            return packed(RowLayout::AlphaLast, {0, 1, 2, -1});
        case PixelFormat::BGRA:
            return packed(RowLayout::AlphaLast, {2, 1, 0, -1});
        case PixelFormat::ARGB:
            return packed(RowLayout::AlphaFirst, {-1, 0, 1, 2});
        case PixelFormat::ABGR:
            return packed(RowLayout::AlphaFirst, {-1, 2, 1, 0});
    }
    throw Error("frame of an unknown pixel format");
}

bool is_rgb(PixelFormat format) {
    return static_cast<int>(format) >= static_cast<int>(PixelFormat::RGB);
}

ColourMap colour_map(const FrameView& frame) {
    ColourMap map;
    if (is_rgb(frame.format)) {
        for (int c = 0; c < 3; ++c)
            map.factors[c][c] = 1.F;
        return map;
    }
    const bool limited = frame.range == ColourRange::Limited;
    const double luma = limited ? 255.0 / 219.0 : 1.0;
    const double chroma = frame.format == PixelFormat::GRAY8 ? 0.0 : limited ? 255.0 / 224.0 : 1.0;
    const auto [red, blue] = frame.matrix == ColourMatrix::Bt709    ? std::pair(0.2126, 0.0722)
                             : frame.matrix == ColourMatrix::Bt2020 ? std::pair(0.2627, 0.0593)
                                                                    : std::pair(0.299, 0.114);
    const double green = 1 - red - blue;
    // Rows R, G, B; columns Y', Cb, Cr.
    const double factors[3][3] = {
        {luma, 0, 2 * (1 - red) * chroma},
        {luma, -2 * blue * (1 - blue) / green * chroma, -2 * red * (1 - red) / green * chroma},
        {luma, 2 * (1 - blue) * chroma, 0}};
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k)
            map.factors[c][k] = static_cast<float>(factors[c][k]);
        map.offset[c] = static_cast<float>((limited ? -16 * luma : 0.0) -
                                           128 * (factors[c][1] + factors[c][2]));
    }
    return map;
}

// The part of the source that is shown (in luma samples) and where it goes in the result.
struct Placement {
    double left = 0, top = 0, right = 0, bottom = 0;
    int x = 0, y = 0, width = 0, height = 0;
    std::array<float, 4> picture_box{0.F, 0.F, 1.F, 1.F};
};

Placement place(const FrameView& frame, const Preprocessing& to) {
    Placement placed{0, 0,        double(frame.width), double(frame.height), 0,
                     0, to.width, to.height,           {0, 0, 1, 1}};
    if (to.fit == Fit::Crop) {
        const double scale =
            std::min(double(frame.width) / to.width, double(frame.height) / to.height);
        placed.left = (frame.width - to.width * scale) / 2;
        placed.top = (frame.height - to.height * scale) / 2;
        placed.right = frame.width - placed.left;
        placed.bottom = frame.height - placed.top;
        placed.picture_box = {float(placed.left / frame.width), float(placed.top / frame.height),
                              float(placed.right / frame.width),
                              float(placed.bottom / frame.height)};
    } else if (to.fit == Fit::Letterbox) {
        const double scale =
            std::min(double(to.width) / frame.width, double(to.height) / frame.height);
        placed.width = std::clamp(int(std::lround(frame.width * scale)), 1, to.width);
        placed.height = std::clamp(int(std::lround(frame.height * scale)), 1, to.height);
        placed.x = (to.width - placed.width) / 2;
        placed.y = (to.height - placed.height) / 2;
        placed.picture_box = {-float(placed.x) / placed.width, -float(placed.y) / placed.height,
                              float(to.width - placed.x) / placed.width,
                              float(to.height - placed.y) / placed.height};
    }
    return placed;
}

// A plane of this frame with its tables.
struct Plane {
    PlaneLayout layout;
    const std::uint8_t* data = nullptr;
    std::ptrdiff_t stride = 0;
    int width = 0;
    std::shared_ptr<const ResamplingTable> across;
    std::shared_ptr<const ResamplingTable> down;
};

Plane prepare_plane(const FrameView& frame, const PlaneLayout& layout, const Placement& placed,
                    ResamplingTables& tables) {
    Plane plane{layout, frame.planes[layout.plane], frame.strides[layout.plane], 0, nullptr,
                nullptr};
    plane.width = layout.half_width ? (frame.width + 1) / 2 : frame.width;
    const int height = layout.half_height ? (frame.height + 1) / 2 : frame.height;
    const std::ptrdiff_t row_bytes = std::ptrdiff_t{plane.width} * channels_of(layout.rows);
    if (plane.data == nullptr || (height > 1 && std::abs(plane.stride) < row_bytes)) {
        throw Error("frame of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
                    " pixels: plane " + std::to_string(layout.plane) +
                    " is missing or its rows overlap");
    }
    // Chroma sample i lies over luma sample 2i: a quarter of a chroma sample right of the middle of
    // its pair.
    const double shift = layout.half_width ? 0.25 : 0.0;
    const double x_scale = layout.half_width ? 0.5 : 1.0;
    const double y_scale = layout.half_height ? 0.5 : 1.0;
    plane.across = tables.get(plane.width, placed.left * x_scale + shift,
                              placed.right * x_scale + shift, placed.width);
    plane.down = tables.get(height, placed.top * y_scale, placed.bottom * y_scale, placed.height);
    return plane;
}

// What one thread keeps between frames.
struct Scratch {
    ResamplingTables tables;
    std::vector<float> sums;  ///< up to four summed rows
    std::vector<float> line;  ///< the three inputs of colour conversion
};

// One output row of a plane, into the lines that its channels feed.
void resample_plane_row(const Plane& plane, int y, Scratch& scratch, int line_pitch) {
    const ResamplingTable& down = *plane.down;
    const std::ptrdiff_t pitch = plane.width + plane.across->taps;
    const std::size_t needed = static_cast<std::size_t>(pitch) * channels_of(plane.layout.rows);
    // What lies behind a row meets weight 0 only, but has to be a number: resize fills with zeros.
    if (scratch.sums.size() < needed) scratch.sums.resize(needed);
    sum_rows({plane.data + down.first[y] * plane.stride, plane.stride,
              down.weights.data() + static_cast<std::size_t>(y) * down.taps, down.count[y],
              plane.width, plane.layout.rows},
             scratch.sums.data(), pitch);
    for (int c = 0; c < channels_of(plane.layout.rows); ++c) {
        const int input = plane.layout.inputs[c];
        if (input < 0) continue;
        resample_row(*plane.across, scratch.sums.data() + c * pitch,
                     scratch.line.data() + static_cast<std::ptrdiff_t>(input) * line_pitch);
    }
}

void check(const FrameView& frame, const Preprocessing& preprocessing) {
    const auto outside = [](int side, int largest) { return side < 1 || side > largest; };
    if (outside(frame.width, largest_side) || outside(frame.height, largest_side)) {
        throw Error(
            "a frame of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
            " pixels cannot be captioned: sides must be from 1 to " + std::to_string(largest_side));
    }
    if (outside(preprocessing.width, largest_input) ||
        outside(preprocessing.height, largest_input)) {
        throw Error("an encoder input of " + std::to_string(preprocessing.width) + "x" +
                    std::to_string(preprocessing.height) + " pixels is outside 1 to " +
                    std::to_string(largest_input));
    }
}

}  // namespace

PreprocessedFrame preprocess(const FrameView& frame, const Preprocessing& preprocessing) {
    check(frame, preprocessing);
    static thread_local Scratch scratch;
    const Placement placed = place(frame, preprocessing);
    std::vector<Plane> planes;
    for (const PlaneLayout& layout : planes_of(frame.format)) {
        planes.push_back(prepare_plane(frame, layout, placed, scratch.tables));
    }
    PreprocessedFrame result;
    result.picture_box = placed.picture_box;
    result.image = {preprocessing.width, preprocessing.height, {}};
    std::vector<std::uint8_t>& pixels = result.image.pixels;
    pixels.resize(std::size_t{3} * preprocessing.width * preprocessing.height);
    if (placed.width != preprocessing.width || placed.height != preprocessing.height) {
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = preprocessing.fill[i % 3];
    }

    const ColourMap map = colour_map(frame);
    scratch.line.assign(std::size_t{3} * placed.width, 0.F);  // GRAY8 leaves its chroma at zero
    const float* line = scratch.line.data();
    for (int y = 0; y < placed.height; ++y) {
        for (const Plane& plane : planes)
            resample_plane_row(plane, y, scratch, placed.width);
        const std::size_t at =
            (static_cast<std::size_t>(placed.y) + y) * preprocessing.width + placed.x;
        write_rgb(map, line, line + placed.width, line + std::ptrdiff_t{2} * placed.width,
                  placed.width, pixels.data() + 3 * at);
    }
    return result;
}

}  // namespace seesay::vision
