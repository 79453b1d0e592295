// The paper's figure of one picture: the picture, then a panel a word with its attention and the
// word above.
#pragma once

#include <string>

#include "elements/overlay/colour_map.hpp"
#include "models/language/caption.hpp"
#include "models/vision/image.hpp"

namespace seesay::overlay {

struct FigureStyle {
    int panel_side = 340;                  ///< longer side of a panel, pixels
    Colours colours = Colours::Spotlight;  ///< as in Show, Attend and Tell, figure 3
    double attention_opacity = 0.8;        ///< 0…1
};

/// Draws `caption` over `picture`: the sentence as the headline, panels in reading order, wrapped
/// into rows so that the figure is about half as wide again as high. Each panel names its word and
/// the word's probability. A caption without attention gives the headline and the picture alone. Of
/// more than `kMostWords` words the first are shown. Throws Error for an empty picture.
vision::Image draw_figure(const vision::Image& picture, const language::Caption& caption,
                          const FigureStyle& style = {});

inline constexpr int kMostWords = 60;

/// Writes `image` in the format that the extension of `path` names (.png, .jpg, .webp, …). Throws
/// Error if that is unknown or the file cannot be written whole.
void write_picture(const vision::Image& image, const std::string& path);

}  // namespace seesay::overlay
