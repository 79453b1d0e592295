// The blender: lays a prepared overlay over a frame in place, touching nothing outside its spans.
#pragma once

#include "elements/overlay/frame_format.hpp"
#include "elements/overlay/prepared_overlay.hpp"

namespace seesay::overlay {

/// `frame` must have the format that `prepared` was made for. Frames with an alpha channel
/// (straight alpha) are composited with the Porter-Duff operator "over", alpha included. Uses AVX2
/// where the processor has it.
void blend(const PreparedOverlay& prepared, const WritableFrame& frame);

}  // namespace seesay::overlay
