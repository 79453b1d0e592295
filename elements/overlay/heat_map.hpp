// HeatMap: one word's attention over a grid, spread smoothly over the picture and drawn in a
// frame's own format.
#pragma once

#include <span>
#include <vector>

#include "elements/overlay/colour_map.hpp"
#include "elements/overlay/frame_format.hpp"
#include "elements/overlay/prepared_overlay.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::overlay {

/// The grid's weights as a cubic B-spline surface. Its kernel has a standard deviation of 0.58
/// cells; Show, Attend and Tell's figures (×24 enlargement with a Gaussian of 8 pixels) have 0.53.
/// It never overshoots, and a constant grid stays constant.
///
/// Strength is counted from the mean weight up, for each word on its own: 0 at the mean and below,
/// 1 at the brightest place, if that has at least `kFullContrast` times the mean. A flatter map is
/// drawn fainter, a constant one not at all.
class HeatMap {
 public:
    static constexpr float kFullContrast = 2.0F;

    /// `weights` is `[rows · columns] float32`, row-major; anything negative or not finite counts
    /// as 0. `geometry` is a grid; where it covers a part of the picture, strength fades to 0
    /// within half a cell outside of it.
    HeatMap(std::span<const float> weights, const vision::Geometry& geometry);

    /// 0 for a constant map, 1 from `kFullContrast` on: min(1, (max / mean − 1) / (kFullContrast −
    /// 1)).
    float contrast() const { return contrast_; }

    /// Strength 0…1 at a place of the picture, normalised x and y.
    float strength(float x, float y) const;

    /// Draws the whole picture. Cost: about a nanosecond a sample.
    void prepare(const FrameFormat& format, const ColourMap& colours,
                 PreparedOverlay& prepared) const;

    /// The same as ARGB, `width` × `height`.
    ArgbImage draw(int width, int height, const ColourMap& colours) const;

 private:
    void normalise();
    float raw_strength(float x, float y) const;
    int repeat_for(const PlaneLayout& layout, const FrameFormat& format) const;
    void prepare_plane(const PlaneLayout& layout, const FrameFormat& format,
                       const ColourMap& colours, PreparedPlane& plane) const;
    /// Calls `use(row, strengths)` for each row of a raster over the picture: `strengths` is
    /// `[columns] uint8`.
    template <typename Use>
    void for_each_row(int columns, int rows, int pixels_across, int pixels_down, int width,
                      int height, Use use) const;

    int rows_;
    int columns_;
    std::array<float, 4> box_;
    std::vector<float> weights_;  ///< [rows, columns]
    float mean_ = 0.F;
    float contrast_ = 0.F;
    float scale_ = 0.F;  ///< strength = scale · (value − mean)
};

}  // namespace seesay::overlay
