// FeatureSet: the vectors a captioner attends over, with where they come from in the picture.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace seesay::vision {

/// Where the L vectors lie. Grid: rows × columns, row-major from the top left, over the whole
/// picture (for cropping preprocessing: over the part that `picture_box` names). Boxes: normalised
/// x1 y1 x2 y2.
struct Geometry {
    enum class Kind { Grid, Boxes };
    Kind kind = Kind::Grid;
    int rows = 0;
    int columns = 0;
    std::vector<std::array<float, 4>> boxes;
    std::vector<std::string> labels;      ///< one a box, or empty
    std::vector<std::string> attributes;  ///< one a box, or empty
    std::vector<float> scores;            ///< one a box, or empty
    /// The part of the source picture that the geometry covers, normalised x1 y1 x2 y2. A
    /// letterboxed picture covers more than itself: values below 0 and above 1 are then the
    /// padding.
    std::array<float, 4> picture_box{0.F, 0.F, 1.F, 1.F};
};

/// The frame a FeatureSet describes. Times are nanoseconds; -1 where unknown.
struct SourceFrame {
    std::uint64_t id =
        0;  ///< counts sampled frames of one stream, from 1; 0: no frame (a still picture)
    std::int64_t pts_ns = -1;           ///< the source's stream time
    std::int64_t running_time_ns = -1;  ///< output time
    std::int64_t wall_clock_us = -1;    ///< arrival, microseconds since the Unix epoch
    int width = 0;                      ///< of the source picture, pixels
    int height = 0;
};

/// Immutable once shared: passed on as `std::shared_ptr<const FeatureSet>`.
struct FeatureSet {
    int count = 0;               ///< L
    int dimension = 0;           ///< D
    std::vector<float> vectors;  ///< `[L, D] float32`, row-major
    std::vector<float> global;   ///< optional `[G] float32`; empty where the encoder gives none
    Geometry geometry;
    SourceFrame frame;
    std::string encoder_name;
    std::string encoder_sha256;     ///< of the encoder package
    std::int64_t inference_ns = 0;  ///< what the encoder took
};

}  // namespace seesay::vision
