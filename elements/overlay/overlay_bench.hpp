// What burning in costs: our overlay against GStreamer's textoverlay, in one run on one thread.
#pragma once

namespace seesay::overlay {

/// CPU milliseconds that an element adds to a 1280×720 I420 frame: the median over rounds, less
/// what passing a frame through `identity` costs.
struct OverlayCosts {
    double text_overlay = 0.0;     ///< GStreamer's textoverlay
    double caption = 0.0;          ///< seesayoverlay attention=none
    double caption_and_map = 0.0;  ///< seesayoverlay attention=words, a word every 0.1 s

    double caption_ratio() const { return caption / text_overlay; }
    double caption_and_map_ratio() const { return caption_and_map / text_overlay; }
};

/// Rivals take turns, `rounds` times 50 frames (2 s at 25 fps) each; every second brings new
/// attention, every round a new text, drawn by all. GStreamer must be initialised. Throws Error
/// where textoverlay (Debian: gstreamer1.0-x) is missing.
OverlayCosts measure_overlay_costs(int rounds);

}  // namespace seesay::overlay
