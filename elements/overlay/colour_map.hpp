// Colour maps: which premultiplied colour a strength of attention from 0 to 255 gets.
#pragma once

#include <array>

namespace seesay::overlay {

/// Premultiplied, all in 0…255.
struct Tint {
    float red = 0.F;
    float green = 0.F;
    float blue = 0.F;
    float alpha = 0.F;
};

/// One tint for each of 256 strengths. 0 is the mean over the picture and below, 255 the word's
/// brightest place.
using ColourMap = std::array<Tint, 256>;

enum class Colours {
    Heat,  ///< violet over orange to light yellow, opacity growing with strength; the rest stays
           ///< untouched
    Spotlight,  ///< as in Show, Attend and Tell's figures: the rest is darkened, the place itself
                ///< brightened
};

/// `opacity` 0…1 is the strongest tint's. `contrast` 0…1 says how far the attention is from flat
/// (HeatMap::contrast): Spotlight darkens by it, so that an indifferent word darkens nothing.
ColourMap make_colour_map(Colours colours, double opacity, double contrast);

}  // namespace seesay::overlay
