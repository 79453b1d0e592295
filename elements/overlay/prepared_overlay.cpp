// Conversion of an ARGB drawing, row by row: mean over the pixels of a sample, weights of each
// channel, spans.
#include "elements/overlay/prepared_overlay.hpp"

#include <algorithm>
#include <cstring>

namespace seesay::overlay {
namespace {

struct Rectangle {
    int x0, y0, x1, y1;
};

/// Four float rows: premultiplied red, green, blue and alpha of the samples of one plane row.
struct SampleRow {
    std::vector<float> red, green, blue, alpha;

    explicit SampleRow(std::size_t samples)
        : red(samples), green(samples), blue(samples), alpha(samples) {}

    void assign_zero() {
        for (auto* channel : {&red, &green, &blue, &alpha}) {
            std::fill(channel->begin(), channel->end(), 0.F);
        }
    }
};

/// One sample a pixel.
void load_pixels(const std::uint32_t* pixels, SampleRow& samples) {
    const std::size_t count = samples.red.size();
    float* __restrict red = samples.red.data();
    float* __restrict green = samples.green.data();
    float* __restrict blue = samples.blue.data();
    float* __restrict alpha = samples.alpha.data();
    for (std::size_t i = 0; i < count; ++i) {
        const auto pixel = static_cast<std::int32_t>(pixels[i]);
        red[i] = static_cast<float>((pixel >> 16) & 0xFF);
        green[i] = static_cast<float>((pixel >> 8) & 0xFF);
        blue[i] = static_cast<float>(pixel & 0xFF);
        alpha[i] = static_cast<float>((pixel >> 24) & 0xFF);
    }
}

/// Adds up the drawing's pixels that lie in plane row `row` and divides by how many frame pixels
/// each sample covers.
void average_pixels(const PlacedImage& drawing, const Rectangle& covered, const FrameFormat& format,
                    const PlaneLayout& layout, int first_column, int row, SampleRow& samples) {
    samples.assign_zero();
    const int shift = layout.pixels_across - 1;  // 1 or 2 pixels a sample
    const int top = std::max(row * layout.pixels_down, covered.y0);
    const int bottom = std::min((row + 1) * layout.pixels_down, covered.y1);
    for (int y = top; y < bottom; ++y) {
        const std::uint32_t* pixels = drawing.row(y);
        for (int x = covered.x0; x < covered.x1; ++x) {
            const std::uint32_t pixel = pixels[x - drawing.x];
            const auto i = static_cast<std::size_t>((x >> shift) - first_column);
            samples.red[i] += static_cast<float>((pixel >> 16U) & 0xFFU);
            samples.green[i] += static_cast<float>((pixel >> 8U) & 0xFFU);
            samples.blue[i] += static_cast<float>(pixel & 0xFFU);
            samples.alpha[i] += static_cast<float>(pixel >> 24U);
        }
    }
    const int rows =
        std::min((row + 1) * layout.pixels_down, format.height) - row * layout.pixels_down;
    for (std::size_t i = 0; i < samples.red.size(); ++i) {
        const int left = (first_column + static_cast<int>(i)) * layout.pixels_across;
        const int columns = std::min(left + layout.pixels_across, format.width) - left;
        const float scale = 1.F / static_cast<float>(rows * columns);
        samples.red[i] *= scale;
        samples.green[i] *= scale;
        samples.blue[i] *= scale;
        samples.alpha[i] *= scale;
    }
}

/// `step` is the distance of a channel's bytes.
template <std::size_t step>
void write_channel(const SampleRow& samples, const ChannelWeights& weights,
                   std::uint8_t* __restrict colour, std::uint8_t* __restrict keep) {
    const std::size_t count = samples.red.size();
    const float* __restrict red = samples.red.data();
    const float* __restrict green = samples.green.data();
    const float* __restrict blue = samples.blue.data();
    const float* __restrict alpha = samples.alpha.data();
    for (std::size_t i = 0; i < count; ++i) {
        const float value = weights.red * red[i] + weights.green * green[i] +
                            weights.blue * blue[i] + weights.alpha * alpha[i];
        const int whole_alpha = static_cast<int>(alpha[i] + 0.5F);
        const int whole_value = static_cast<int>(value + 0.5F);
        colour[i * step] =
            static_cast<std::uint8_t>(std::min(std::max(whole_value, 0), whole_alpha));
        keep[i * step] = static_cast<std::uint8_t>(255 - whole_alpha);
    }
}

using WriteChannel = decltype(&write_channel<1>);
constexpr std::array<WriteChannel, 4> kWriteChannel{write_channel<1>, write_channel<2>,
                                                    write_channel<3>, write_channel<4>};

void write_unused(std::size_t samples, std::size_t step, std::uint8_t* colour, std::uint8_t* keep) {
    for (std::size_t i = 0; i < samples; ++i) {
        colour[i * step] = 0;
        keep[i * step] = 255;
    }
}

void write_row(const SampleRow& samples, const FrameFormat& format, const PlaneLayout& layout,
               std::uint8_t* colour, std::uint8_t* keep) {
    const auto step = static_cast<std::size_t>(layout.bytes);
    for (std::size_t i = 0; i < step; ++i) {
        if (layout.channels[i] == Channel::Unused) {
            write_unused(samples.red.size(), step, colour + i, keep + i);
        } else {
            const ChannelWeights weights =
                channel_weights(layout.channels[i], format.matrix, format.range);
            kWriteChannel[step - 1](samples, weights, colour + i, keep + i);
        }
    }
}

void prepare_plane(const PlacedImage& drawing, const Rectangle& covered, const FrameFormat& format,
                   const PlaneLayout& layout, PreparedPlane& plane) {
    const int first_column = covered.x0 / layout.pixels_across;
    const int first_row = covered.y0 / layout.pixels_down;
    const int columns = layout.columns(covered.x1) - first_column;
    const int rows = layout.rows(covered.y1) - first_row;
    plane.reset(layout, first_column, first_row, columns, rows);
    SampleRow samples(static_cast<std::size_t>(columns));
    const bool full_size = layout.pixels_across * layout.pixels_down == 1;
    for (int row = 0; row < rows; ++row) {
        if (full_size) {
            load_pixels(drawing.row(first_row + row) + (first_column - drawing.x), samples);
        } else {
            average_pixels(drawing, covered, format, layout, first_column, first_row + row,
                           samples);
        }
        const std::size_t offset = static_cast<std::size_t>(row) * plane.row_bytes;
        write_row(samples, format, layout, plane.colour.data() + offset,
                  plane.keep.data() + offset);
    }
    plane.find_spans();
}

/// First index from `i` on where `keep` is 255 (`kept`) or is not 255.
int skip(const std::uint8_t* keep, int i, int end, bool kept) {
    constexpr std::uint64_t kAllKept = ~std::uint64_t{0};
    for (; kept && i + 8 <= end; i += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, keep + i, 8);
        if (eight != kAllKept) {
            break;
        }
    }
    while (i < end && (keep[i] == 255) == kept) {
        ++i;
    }
    return i;
}

}  // namespace

void PreparedPlane::reset(const PlaneLayout& plane_layout, int first_column, int first_row,
                          int columns, int rows) {
    layout = plane_layout;
    x = first_column;
    y = first_row;
    row_bytes = columns * plane_layout.bytes;
    height = rows;
    const std::size_t bytes = static_cast<std::size_t>(row_bytes) * static_cast<std::size_t>(rows);
    colour.resize(bytes);
    keep.resize(bytes);
    spans.clear();
    row_ends.clear();
}

void PreparedPlane::end_row(Span span) {
    if (span.begin < span.end) {
        spans.push_back(span);
    }
    row_ends.push_back(static_cast<std::uint32_t>(spans.size()));
}

void PreparedPlane::find_spans() {
    constexpr int kJoinBelow = 64;
    spans.clear();
    row_ends.clear();
    for (int row = 0; row < height; ++row) {
        const std::uint8_t* row_keep = keep.data() + static_cast<std::size_t>(row) * row_bytes;
        const std::size_t first = spans.size();
        for (int i = skip(row_keep, 0, row_bytes, true); i < row_bytes;) {
            // Whole samples: alpha is composited with its colours.
            const int begin = i / layout.bytes * layout.bytes;
            int end = skip(row_keep, i, row_bytes, false);
            i = skip(row_keep, end, row_bytes, true);
            end = std::min((end + layout.bytes - 1) / layout.bytes * layout.bytes, row_bytes);
            if (spans.size() > first && begin - spans.back().end < kJoinBelow) {
                spans.back().end = end;
            } else {
                spans.push_back({begin, end});
            }
        }
        row_ends.push_back(static_cast<std::uint32_t>(spans.size()));
    }
}

bool PreparedOverlay::empty() const {
    return std::all_of(planes.begin(), planes.end(),
                       [](const PreparedPlane& plane) { return plane.spans.empty(); });
}

void prepare(const PlacedImage& drawing, const FrameFormat& format, PreparedOverlay& prepared) {
    prepared.format = format;
    const Rectangle covered{std::max(drawing.x, 0), std::max(drawing.y, 0),
                            std::min(drawing.x + drawing.image.width, format.width),
                            std::min(drawing.y + drawing.image.height, format.height)};
    const std::span<const PlaneLayout> layouts = plane_layouts(format.format);
    if (covered.x0 >= covered.x1 || covered.y0 >= covered.y1) {
        prepared.planes.clear();
        return;
    }
    prepared.planes.resize(layouts.size());
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        prepare_plane(drawing, covered, format, layouts[i], prepared.planes[i]);
    }
}

}  // namespace seesay::overlay
