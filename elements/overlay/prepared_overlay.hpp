// PreparedOverlay: a drawing turned into premultiplied planes of the frame's own format, made once
// and blended often.
#pragma once

#include <cstdint>
#include <vector>

#include "elements/overlay/argb_image.hpp"
#include "elements/overlay/frame_format.hpp"

namespace seesay::overlay {

/// A run of bytes in one row that the drawing changes; begin and end count from the row's first
/// prepared byte.
struct Span {
    int begin = 0;
    int end = 0;
};

/// The part of one plane that a drawing covers. For each byte of it, `frame = colour + frame · keep
/// / 255`. `colour` and `keep` are `[height, row_bytes] uint8`; what is outside the spans is not
/// blended.
struct PreparedPlane {
    PlaneLayout layout;
    int x = 0;  ///< first sample
    int y = 0;  ///< first row
    int row_bytes = 0;
    int height = 0;
    std::vector<std::uint8_t> colour;
    std::vector<std::uint8_t> keep;
    std::vector<Span> spans;              ///< of all rows, top to bottom, left to right
    std::vector<std::uint32_t> row_ends;  ///< [height]: one past each row's last span

    /// Sets the covered part and makes room. Keeps memory from earlier use.
    void reset(const PlaneLayout& plane_layout, int first_column, int first_row, int columns,
               int rows);
    /// For those who know their spans: the only one of the next row, which may be empty.
    void end_row(Span span);
    /// Finds the spans once `colour` and `keep` are filled; runs apart by less than a cache line
    /// are joined.
    void find_spans();
};

/// A drawing in one frame format. Reused from one word to the next so that its memory is allocated
/// once.
struct PreparedOverlay {
    FrameFormat format;
    std::vector<PreparedPlane> planes;

    bool empty() const;
};

/// Converts `drawing`, cut to the frame. A halved chroma sample gets the mean of the premultiplied
/// colours and of the alphas of those frame pixels it covers, whatever the drawing's position and
/// the frame's size.
void prepare(const PlacedImage& drawing, const FrameFormat& format, PreparedOverlay& prepared);

}  // namespace seesay::overlay
