// Separable B-spline: grid rows are spread over the columns once, then each picture row mixes four
// of them.
#include "elements/overlay/heat_map.hpp"

#include <algorithm>
#include <cmath>

namespace seesay::overlay {
namespace {

/// The four grid cells around a place on one axis with their weights; `fade` is 1 inside the
/// covered part.
struct Taps {
    std::array<int, 4> cells;
    std::array<float, 4> weights;
    float fade;
};

/// `place` counts in cells from the beginning of the covered part.
Taps taps_at(float place, int cells) {
    const float centred = place - 0.5F;
    const float base = std::floor(centred);
    const float t = centred - base;
    const float u = 1.F - t;
    Taps taps{};
    for (int i = 0; i < 4; ++i) {
        const float cell =
            std::clamp(base + static_cast<float>(i - 1), 0.F, static_cast<float>(cells - 1));
        taps.cells[static_cast<std::size_t>(i)] = static_cast<int>(cell);
    }
    taps.weights = {u * u * u / 6.F, (4.F - 6.F * t * t + 3.F * t * t * t) / 6.F,
                    (4.F - 6.F * u * u + 3.F * u * u * u) / 6.F, t * t * t / 6.F};
    const float outside = std::max({-place, place - static_cast<float>(cells), 0.F});
    taps.fade = std::clamp(1.F - 2.F * outside, 0.F, 1.F);
    return taps;
}

float place_in_cells(float position, float low, float high, int cells) {
    return (position - low) / (high - low) * static_cast<float>(cells);
}

std::uint8_t quantise(float value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.F, 255.F) + 0.5F);
}

/// One picture row from four spread grid rows. Restricted pointers let the compiler vectorise it.
void mix_rows(const std::array<const float*, 4>& lines, const std::array<float, 4>& weights,
              float fade, std::uint8_t* __restrict strengths, std::size_t samples) {
    const float* __restrict first = lines[0];
    const float* __restrict second = lines[1];
    const float* __restrict third = lines[2];
    const float* __restrict fourth = lines[3];
    const float w0 = fade * weights[0];
    const float w1 = fade * weights[1];
    const float w2 = fade * weights[2];
    const float w3 = fade * weights[3];
    for (std::size_t x = 0; x < samples; ++x) {
        const float value = w0 * first[x] + w1 * second[x] + w2 * third[x] + w3 * fourth[x];
        // Bounded as integers: comparing floats may trap, which keeps GCC from vectorising.
        const int rounded = static_cast<int>(value + 0.5F);
        strengths[x] = static_cast<std::uint8_t>(std::min(std::max(rounded, 0), 255));
    }
}

/// Channel values for each strength: `[256]` colour and keep.
struct ChannelTable {
    std::array<std::uint8_t, 256> colour;
    std::array<std::uint8_t, 256> keep;
};

ChannelTable tabulate(const ColourMap& map, Channel channel, const FrameFormat& format) {
    ChannelTable table{};
    table.keep.fill(255);
    if (channel == Channel::Unused) {
        return table;
    }
    const ChannelWeights weights = channel_weights(channel, format.matrix, format.range);
    for (std::size_t i = 0; i < map.size(); ++i) {
        const Tint& tint = map[i];
        const std::uint8_t alpha = quantise(tint.alpha);
        const float value = weights.red * tint.red + weights.green * tint.green +
                            weights.blue * tint.blue + weights.alpha * tint.alpha;
        table.colour[i] = std::min(quantise(value), alpha);
        table.keep[i] = static_cast<std::uint8_t>(255 - alpha);
    }
    return table;
}

/// Samples begin…end of one row.
struct Stretch {
    std::size_t begin;
    std::size_t end;
};

/// Where strengths, each valid for `repeat` samples, are above 0.
Stretch lit_stretch(const std::vector<std::uint8_t>& strengths, std::size_t repeat,
                    std::size_t samples) {
    const auto lit = [](std::uint8_t strength) { return strength > 0; };
    const auto first = std::find_if(strengths.begin(), strengths.end(), lit);
    const auto last = std::find_if(strengths.rbegin(), strengths.rend(), lit).base();
    const std::size_t end =
        std::min(static_cast<std::size_t>(last - strengths.begin()) * repeat, samples);
    return {std::min(static_cast<std::size_t>(first - strengths.begin()) * repeat, end), end};
}

/// Writes one channel of a stretch; `step` is the distance of its samples in bytes.
template <std::size_t step, std::size_t repeat>
void look_up(const std::vector<std::uint8_t>& strengths, const Stretch& stretch,
             const ChannelTable& table, std::uint8_t* __restrict colour,
             std::uint8_t* __restrict keep) {
    const std::uint8_t* __restrict strength = strengths.data();
    std::size_t i = stretch.begin;
    for (; i + repeat <= stretch.end; i += repeat) {
        const std::uint8_t new_colour = table.colour[strength[i / repeat]];
        const std::uint8_t new_keep = table.keep[strength[i / repeat]];
        for (std::size_t j = i; j < i + repeat; ++j) {
            colour[j * step] = new_colour;
            keep[j * step] = new_keep;
        }
    }
    for (; i < stretch.end; ++i) {
        colour[i * step] = table.colour[strength[i / repeat]];
        keep[i * step] = table.keep[strength[i / repeat]];
    }
}

using LookUp = decltype(&look_up<1, 1>);
constexpr std::array<std::array<LookUp, 4>, 2> kLookUp{
    {{look_up<1, 1>, look_up<2, 1>, look_up<3, 1>, look_up<4, 1>},
     {look_up<1, 2>, look_up<2, 2>, look_up<3, 2>, look_up<4, 2>}}};

}  // namespace

HeatMap::HeatMap(std::span<const float> weights, const vision::Geometry& geometry)
    : rows_(geometry.rows),
      columns_(geometry.columns),
      box_(geometry.picture_box),
      weights_(weights.begin(), weights.end()) {
    for (float& weight : weights_) {
        weight = std::isfinite(weight) ? std::max(weight, 0.F) : 0.F;
    }
    normalise();
}

void HeatMap::normalise() {
    double sum = 0.0;
    for (const float weight : weights_) {
        sum += weight;
    }
    mean_ = static_cast<float>(sum / static_cast<double>(weights_.size()));
    if (!(mean_ > 0.F)) {
        return;
    }
    // The brightest visible place, looked for on a raster of five points a cell, its middle among
    // them.
    constexpr int kPoints = 5;
    float brightest = 0.F;
    scale_ = 1.F;
    for (int y = 0; y < rows_ * kPoints; ++y) {
        for (int x = 0; x < columns_ * kPoints; ++x) {
            const float across =
                (static_cast<float>(x) + 0.5F) / static_cast<float>(columns_ * kPoints);
            const float down = (static_cast<float>(y) + 0.5F) / static_cast<float>(rows_ * kPoints);
            brightest = std::max(brightest, raw_strength(across, down));
        }
    }
    const float excess = brightest / mean_;
    // Rounding of a constant map must not be enlarged into a picture.
    if (excess < 1e-3F) {
        scale_ = 0.F;
        return;
    }
    contrast_ = std::min(excess / (kFullContrast - 1.F), 1.F);
    scale_ = 1.F / (mean_ * std::max(excess, kFullContrast - 1.F));
}

float HeatMap::strength(float x, float y) const {
    return std::clamp(raw_strength(x, y), 0.F, 1.F);
}

float HeatMap::raw_strength(float x, float y) const {
    const Taps across = taps_at(place_in_cells(x, box_[0], box_[2], columns_), columns_);
    const Taps down = taps_at(place_in_cells(y, box_[1], box_[3], rows_), rows_);
    float value = 0.F;
    for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t c = 0; c < 4; ++c) {
            value += down.weights[r] * across.weights[c] *
                     weights_[static_cast<std::size_t>(down.cells[r] * columns_ + across.cells[c])];
        }
    }
    return (value - mean_) * scale_ * across.fade * down.fade;
}

template <typename Use>
void HeatMap::for_each_row(int columns, int rows, int pixels_across, int pixels_down, int width,
                           int height, Use use) const {
    const auto samples = static_cast<std::size_t>(columns);
    std::vector<float> spread(static_cast<std::size_t>(rows_) * samples);
    for (int x = 0; x < columns; ++x) {
        const float centre = (static_cast<float>(x) + 0.5F) * static_cast<float>(pixels_across);
        const Taps taps =
            taps_at(place_in_cells(centre / static_cast<float>(width), box_[0], box_[2], columns_),
                    columns_);
        for (int r = 0; r < rows_; ++r) {
            float value = 0.F;
            for (std::size_t i = 0; i < 4; ++i) {
                value += taps.weights[i] *
                         weights_[static_cast<std::size_t>(r * columns_ + taps.cells[i])];
            }
            spread[static_cast<std::size_t>(r) * samples + static_cast<std::size_t>(x)] =
                255.F * scale_ * taps.fade * (value - mean_);
        }
    }
    std::vector<std::uint8_t> strengths(samples);
    for (int y = 0; y < rows; ++y) {
        const float centre = (static_cast<float>(y) + 0.5F) * static_cast<float>(pixels_down);
        const Taps taps = taps_at(
            place_in_cells(centre / static_cast<float>(height), box_[1], box_[3], rows_), rows_);
        std::array<const float*, 4> lines{};
        for (std::size_t i = 0; i < 4; ++i) {
            lines[i] = spread.data() + static_cast<std::size_t>(taps.cells[i]) * samples;
        }
        mix_rows(lines, taps.weights, taps.fade, strengths.data(), samples);
        use(y, strengths);
    }
}

/// Where a cell is wide, neighbouring samples differ by less than two strengths: one value serves
/// two by two of them, which are not told apart by the eye and cost a quarter.
int HeatMap::repeat_for(const PlaneLayout& layout, const FrameFormat& format) const {
    constexpr float kWideCell = 96.F;
    const float cell_width =
        static_cast<float>(format.width) * (box_[2] - box_[0]) / static_cast<float>(columns_);
    const float cell_height =
        static_cast<float>(format.height) * (box_[3] - box_[1]) / static_cast<float>(rows_);
    const bool full_size = layout.pixels_across == 1 && layout.pixels_down == 1;
    return full_size && std::min(cell_width, cell_height) >= kWideCell ? 2 : 1;
}

void HeatMap::prepare(const FrameFormat& format, const ColourMap& colours,
                      PreparedOverlay& prepared) const {
    const std::span<const PlaneLayout> layouts = plane_layouts(format.format);
    prepared.format = format;
    prepared.planes.resize(layouts.size());
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        prepare_plane(layouts[i], format, colours, prepared.planes[i]);
    }
}

void HeatMap::prepare_plane(const PlaneLayout& layout, const FrameFormat& format,
                            const ColourMap& colours, PreparedPlane& plane) const {
    const int columns = layout.columns(format.width);
    const int rows = layout.rows(format.height);
    plane.reset(layout, 0, 0, columns, rows);
    const auto channels = static_cast<std::size_t>(layout.bytes);
    std::array<ChannelTable, 4> tables{};
    for (std::size_t c = 0; c < channels; ++c) {
        tables[c] = tabulate(colours, layout.channels[c], format);
    }
    const int repeat = repeat_for(layout, format);
    const LookUp look_up_row = kLookUp[static_cast<std::size_t>(repeat - 1)][channels - 1];
    const auto row_bytes = static_cast<std::size_t>(plane.row_bytes);
    const auto samples = static_cast<std::size_t>(columns);
    const bool whole_rows = colours[0].alpha > 0.F;
    const auto use = [&](int row, const std::vector<std::uint8_t>& strengths) {
        const Stretch stretch =
            whole_rows ? Stretch{0, samples}
                       : lit_stretch(strengths, static_cast<std::size_t>(repeat), samples);
        const int first = row * repeat;
        std::uint8_t* colour = plane.colour.data() + static_cast<std::size_t>(first) * row_bytes;
        std::uint8_t* keep = plane.keep.data() + static_cast<std::size_t>(first) * row_bytes;
        for (std::size_t c = 0; c < channels; ++c) {
            look_up_row(strengths, stretch, tables[c], colour + c, keep + c);
        }
        const Span span{static_cast<int>(stretch.begin * channels),
                        static_cast<int>(stretch.end * channels)};
        plane.end_row(span);
        if (repeat == 2 && first + 1 < rows) {
            std::copy(colour + span.begin, colour + span.end, colour + row_bytes + span.begin);
            std::copy(keep + span.begin, keep + span.end, keep + row_bytes + span.begin);
            plane.end_row(span);
        }
    };
    for_each_row((columns + repeat - 1) / repeat, (rows + repeat - 1) / repeat,
                 layout.pixels_across * repeat, layout.pixels_down * repeat, format.width,
                 format.height, use);
}

ArgbImage HeatMap::draw(int width, int height, const ColourMap& colours) const {
    std::array<std::uint32_t, 256> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Tint& tint = colours[i];
        const std::uint32_t alpha = quantise(tint.alpha);
        const auto channel = [&](float value) {
            return std::min<std::uint32_t>(quantise(value), alpha);
        };
        words[i] = alpha << 24U | channel(tint.red) << 16U | channel(tint.green) << 8U |
                   channel(tint.blue);
    }
    ArgbImage image{width, height, {}};
    image.pixels.reserve(static_cast<std::size_t>(width) * height);
    for_each_row(width, height, 1, 1, width, height,
                 [&](int, const std::vector<std::uint8_t>& strengths) {
                     for (const std::uint8_t strength : strengths) {
                         image.pixels.push_back(words[strength]);
                     }
                 });
    return image;
}

}  // namespace seesay::overlay
