// What the blender knows of a frame: its planes, the channels in them, and how colours become
// channel values.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/vision/frame_view.hpp"

namespace seesay::overlay {

/// Everything that decides how an overlay is prepared; two frames of equal format share one
/// preparation.
struct FrameFormat {
    vision::PixelFormat format = vision::PixelFormat::I420;
    int width = 0;   ///< pixels
    int height = 0;  ///< pixels
    vision::ColourMatrix matrix = vision::ColourMatrix::Bt601;
    vision::ColourRange range = vision::ColourRange::Limited;

    bool operator==(const FrameFormat&) const = default;
};

/// A frame that is drawn on; valid while its owner keeps it mapped for writing. Planes in the order
/// of FrameView.
struct WritableFrame {
    std::array<std::uint8_t*, 4> planes{};
    std::array<int, 4> strides{};  ///< bytes from one row to the next, per plane
};

enum class Channel : std::uint8_t { Luma, Cb, Cr, Red, Green, Blue, Alpha, Unused };

/// One plane of a format: which part of the picture a sample covers and what its bytes are.
struct PlaneLayout {
    int plane = 0;          ///< index into WritableFrame::planes
    int pixels_across = 1;  ///< picture columns that a sample covers (chroma: 2 where halved)
    int pixels_down = 1;    ///< picture rows that a sample covers
    int bytes = 1;          ///< of a sample: the used part of `channels`
    std::array<Channel, 4> channels{};

    /// Samples a row and rows of this plane; the last sample covers less where the size is odd.
    int columns(int picture_width) const {
        return (picture_width + pixels_across - 1) / pixels_across;
    }
    int rows(int picture_height) const { return (picture_height + pixels_down - 1) / pixels_down; }
};

std::span<const PlaneLayout> plane_layouts(vision::PixelFormat format);

/// A channel's value is the weighted sum of premultiplied R'G'B' and alpha, all in 0…255. The
/// weight of alpha holds the channel's offset (16 for limited luma, 128 for chroma), so that the
/// sum is premultiplied as well.
struct ChannelWeights {
    float red = 0.F;
    float green = 0.F;
    float blue = 0.F;
    float alpha = 0.F;
};

ChannelWeights channel_weights(Channel channel, vision::ColourMatrix matrix,
                               vision::ColourRange range);

}  // namespace seesay::overlay
