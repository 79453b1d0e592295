// Translucent filling and a stronger frame for each box that got more than its share.
#include "elements/overlay/attention_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "elements/overlay/heat_map.hpp"
#include "elements/overlay/pango_context.hpp"

namespace seesay::overlay {
namespace {

constexpr float kFillOpacity = 0.4F;  // of the tint's
constexpr float kFaintest = 0.1F;

/// Edges in pixels.
struct DrawnBox {
    float strength;
    double left, top, right, bottom;
};

std::vector<DrawnBox> strong_boxes(std::span<const float> weights, const vision::Geometry& geometry,
                                   int width, int height) {
    const auto weight = [&](std::size_t i) {
        return std::isfinite(weights[i]) ? std::max(weights[i], 0.F) : 0.F;
    };
    float sum = 0.F;
    float largest = 0.F;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weight(i);
        largest = std::max(largest, weight(i));
    }
    const float mean = sum / static_cast<float>(weights.size());
    std::vector<DrawnBox> boxes;
    if (!(mean > 0.F)) {
        return boxes;
    }
    const float excess = std::max(largest / mean - 1.F, HeatMap::kFullContrast - 1.F);
    const auto& [box_left, box_top, box_right, box_bottom] = geometry.picture_box;
    const auto to_pixels = [](float position, float low, float high, int size) {
        return std::clamp(static_cast<double>(low + position * (high - low)), 0.0, 1.0) * size;
    };
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float strength = (weight(i) / mean - 1.F) / excess;
        if (!(strength >= kFaintest)) {
            continue;
        }
        const auto& [x1, y1, x2, y2] = geometry.boxes[i];
        if (!std::isfinite(x1 + y1 + x2 + y2)) {
            continue;
        }
        const DrawnBox box{strength, to_pixels(x1, box_left, box_right, width),
                           to_pixels(y1, box_top, box_bottom, height),
                           to_pixels(x2, box_left, box_right, width),
                           to_pixels(y2, box_top, box_bottom, height)};
        if (box.left < box.right && box.top < box.bottom) {
            boxes.push_back(box);
        }
    }
    std::stable_sort(boxes.begin(), boxes.end(),
                     [](const DrawnBox& a, const DrawnBox& b) { return a.strength < b.strength; });
    return boxes;
}

void set_tint(cairo_t* cairo, const Tint& tint, double part) {
    const double alpha = std::max(static_cast<double>(tint.alpha), 1e-3);
    cairo_set_source_rgba(cairo, tint.red / alpha, tint.green / alpha, tint.blue / alpha,
                          part * alpha / 255.0);
}

void draw_box(cairo_t* cairo, const DrawnBox& box, const ColourMap& colours, double line) {
    const auto index = static_cast<std::size_t>(std::clamp(box.strength, 0.F, 1.F) * 255.F);
    const double width = box.right - box.left;
    const double height = box.bottom - box.top;
    cairo_rectangle(cairo, box.left, box.top, width, height);
    set_tint(cairo, colours[index], kFillOpacity);
    cairo_fill(cairo);
    const double inset = std::min({line, width, height}) / 2;
    cairo_rectangle(cairo, box.left + inset, box.top + inset, width - 2 * inset,
                    height - 2 * inset);
    cairo_set_line_width(cairo, 2 * inset);
    set_tint(cairo, colours[index], 1.0);
    cairo_stroke(cairo);
}

}  // namespace

PlacedImage draw_attention_boxes(std::span<const float> weights, const vision::Geometry& geometry,
                                 int width, int height, const ColourMap& colours) {
    const std::vector<DrawnBox> boxes = strong_boxes(weights, geometry, width, height);
    PlacedImage placed;
    if (boxes.empty()) {
        return placed;
    }
    double left = width;
    double top = height;
    double right = 0;
    double bottom = 0;
    for (const DrawnBox& box : boxes) {
        left = std::min(left, box.left);
        top = std::min(top, box.top);
        right = std::max(right, box.right);
        bottom = std::max(bottom, box.bottom);
    }
    // Rounding of normalised corners is not a pixel.
    constexpr double kRounding = 1e-3;
    placed.x = static_cast<int>(left + kRounding);
    placed.y = static_cast<int>(top + kRounding);
    ArgbImage& image = placed.image;
    image.width = static_cast<int>(std::ceil(right - kRounding)) - placed.x;
    image.height = static_cast<int>(std::ceil(bottom - kRounding)) - placed.y;
    image.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
    const SurfacePointer surface(cairo_image_surface_create_for_data(
        reinterpret_cast<unsigned char*>(image.pixels.data()), CAIRO_FORMAT_ARGB32, image.width,
        image.height, image.width * 4));
    const CairoPointer cairo(cairo_create(surface.get()));
    cairo_translate(cairo.get(), -placed.x, -placed.y);
    const double line = std::max(2.0, std::min(width, height) / 180.0);
    for (const DrawnBox& box : boxes) {
        draw_box(cairo.get(), box, colours, line);
    }
    return placed;
}

}  // namespace seesay::overlay
