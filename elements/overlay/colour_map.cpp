// Heat runs through control points of rising lightness; Spotlight mixes black with a little white.
#include "elements/overlay/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace seesay::overlay {
namespace {

struct Stop {
    float at, red, green, blue;
};

// Lightness rises steadily, as in matplotlib's inferno, without its black beginning: faint
// attention tints, not soils.
constexpr std::array kHeat{Stop{0.F, 110.F, 30.F, 160.F}, Stop{0.30F, 196.F, 48.F, 128.F},
                           Stop{0.60F, 246.F, 112.F, 48.F}, Stop{0.85F, 253.F, 190.F, 60.F},
                           Stop{1.F, 255.F, 242.F, 150.F}};

Tint heat(float strength, float opacity) {
    std::size_t next = 1;
    while (next + 1 < kHeat.size() && strength > kHeat[next].at) {
        ++next;
    }
    const Stop& low = kHeat[next - 1];
    const Stop& high = kHeat[next];
    const float part = (strength - low.at) / (high.at - low.at);
    // In proportion: faint attention hardly veils the picture, and costs a video encoder little.
    const float alpha = opacity * strength;
    return {alpha * std::lerp(low.red, high.red, part),
            alpha * std::lerp(low.green, high.green, part),
            alpha * std::lerp(low.blue, high.blue, part), 255.F * alpha};
}

Tint spotlight(float strength, float opacity, float contrast) {
    const float dark = opacity * contrast * (1.F - strength) * (1.F - strength);
    const float light = 0.35F * opacity * contrast * strength * strength;
    const float white = 255.F * light * (1.F - dark);
    return {white, white, white, 255.F * (dark + light - dark * light)};
}

}  // namespace

ColourMap make_colour_map(Colours colours, double opacity, double contrast) {
    ColourMap map;
    for (std::size_t i = 0; i < map.size(); ++i) {
        const float strength = static_cast<float>(i) / 255.F;
        map[i] = colours == Colours::Heat ? heat(strength, static_cast<float>(opacity))
                                          : spotlight(strength, static_cast<float>(opacity),
                                                      static_cast<float>(contrast));
    }
    return map;
}

}  // namespace seesay::overlay
