// Views of a training picture: crops, horizontal stretches and mirror images, made from a seed.
#pragma once

#include <cstdint>
#include <string>

#include "models/vision/image.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::training {

/// Which part of a picture a view shows. Everything is derived from (seed, picture name, view
/// number), so a cache can be extended and remade. View 0 is the picture as inference sees it.
struct View {
    double left = 0;  ///< of the picture's width, 0…1
    double top = 0;
    double width = 1;
    double height = 1;
    bool mirrored = false;
};

/// Views after the first show 70–100 % of the area; the sides' ratio changes by 0.7–1.4, since
/// cameras are 16:9 while the pictures were squeezed from 4:3 and 3:4; odd ones are mirrored.
View make_view(std::uint64_t seed, const std::string& picture, int number);

/// The encoder's input picture for a view.
vision::Image render_view(const vision::Image& picture, const View& view,
                          const vision::Preprocessing& preprocessing);

}  // namespace seesay::training
