// Attention over regions, drawn as boxes whose colour and opacity grow with their weight.
#pragma once

#include <span>

#include "elements/overlay/argb_image.hpp"
#include "elements/overlay/colour_map.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::overlay {

/// Draws one word's attention over `geometry.boxes` for a picture of the given size; `weights` is
/// `[L] float32`, one a box. Strength as in HeatMap: counted from the mean weight, full from twice
/// the mean on (boxes are not smoothed, so the strongest is compared with itself alone), nothing
/// for equal weights. Boxes below a tenth of the strongest are left out; the strongest lies on top.
/// The image reaches over the drawn boxes only.
PlacedImage draw_attention_boxes(std::span<const float> weights, const vision::Geometry& geometry,
                                 int width, int height, const ColourMap& colours);

}  // namespace seesay::overlay
