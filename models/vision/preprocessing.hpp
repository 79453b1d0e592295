// Preprocessing: from a decoded frame straight to an encoder's input picture, antialiased.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/vision/frame_view.hpp"
#include "models/vision/image.hpp"

namespace seesay::vision {

/// How a picture is fitted to the input size. A package states it in `model.json`, key
/// `preprocessing`.
enum class Fit {
    Squeeze,    ///< both sides scaled on their own; the aspect ratio is lost (how the Flickr8k
                ///< pictures were made)
    Crop,       ///< short side fitted, the middle kept
    Letterbox,  ///< long side fitted, the rest filled with `fill`
};

struct Preprocessing {
    int width = 224;
    int height = 224;
    Fit fit = Fit::Squeeze;
    std::array<float, 3> mean{127.F, 127.F, 127.F};       ///< of R, G, B in 0…255
    std::array<float, 3> deviation{128.F, 128.F, 128.F};  ///< input = (pixel − mean) / deviation
    std::array<std::uint8_t, 3> fill{127, 127, 127};      ///< letterbox colour, RGB
    bool blue_first = false;  ///< channel order B, G, R for Caffe weights
};

/// An encoder's input picture and the part of the source it shows (see Geometry::picture_box).
struct PreprocessedFrame {
    Image image;
    std::array<float, 4> picture_box{0.F, 0.F, 1.F, 1.F};
};

/// Scales and converts `frame` to `[height, width, 3]` RGB. Scaling is separable with an
/// antialiased triangle filter (Pillow's BILINEAR), per plane, before the conversion to RGB; within
/// rounding of doing it in floating point. Halved chroma is taken as MPEG-2 has it: level with the
/// even luma columns, midway between luma rows. Straight alpha is multiplied in before scaling.
/// GRAY8 follows `range` as luma does. Crop reads a little beyond its edges, as Pillow's `box`
/// does. Reads each source row from memory once, never beyond `width`, and allocates the result
/// only: scratch rows belong to the calling thread. Throws Error for a frame that is empty, larger
/// than 65,535 pixels a side or lacks a plane, and for an input size outside 1…4096.
PreprocessedFrame preprocess(const FrameView& frame, const Preprocessing& preprocessing);

/// Reads the object under the key `preprocessing` of an encoder package: keys as the members of
/// Preprocessing, `fit` as "squeeze", "crop" or "letterbox"; missing keys keep their defaults.
/// Throws Error starting with `origin` for unknown keys, wrong types and values out of range.
Preprocessing parse_preprocessing(const nlohmann::json& object, const std::string& origin);

}  // namespace seesay::vision
