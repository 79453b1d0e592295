// From GStreamer's video frames to vision::FrameView, and back to the caps that can be viewed.
#pragma once

#include <gst/video/video.h>

#include <optional>

#include "models/vision/frame_view.hpp"

namespace seesay::elements {

/// Empty for formats that FrameView does not know (more than 8 bits, packed 4:2:2, …).
std::optional<vision::PixelFormat> pixel_format(GstVideoFormat format);

/// Raw video in system memory, in every format that pixel_format knows; with or without an overlay
/// composition on it.
GstCaps* viewable_caps();

/// How long a frame lasts by the caps' rate, nanoseconds; 0 if the rate is variable.
std::int64_t nominal_duration_ns(const GstVideoInfo& info);

/// A buffer mapped for reading and the view of it, both for the life of this object. Honours
/// GstVideoMeta (strides) and GstVideoCropMeta.
class MappedFrame {
 public:
    /// Throws Error if the buffer does not hold a frame of `info`.
    MappedFrame(const GstVideoInfo& info, GstBuffer* buffer, GstMapFlags access = GST_MAP_READ);
    ~MappedFrame();
    MappedFrame(const MappedFrame&) = delete;
    MappedFrame& operator=(const MappedFrame&) = delete;

    [[nodiscard]] const vision::FrameView& view() const { return view_; }

 private:
    GstVideoFrame frame_{};
    vision::FrameView view_;
};

}  // namespace seesay::elements
