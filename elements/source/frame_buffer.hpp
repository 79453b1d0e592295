// Decoded libav frames as GStreamer buffers: no copy of the pixels, caps with the colour tags of
// the stream.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "elements/source/libav_pointers.hpp"

namespace seesay::elements {

/// Format, size, pixel aspect, colorimetry, chroma site and interlacing of a frame in a format that
/// `passes`. `rate`: frames a second for the caps; 0/1 where the film has none.
GstVideoInfo video_info(const AVFrame& frame, AVRational pixel_aspect, AVRational rate,
                        bool interlaced);

/// A buffer over the frame's own memory with a GstVideoMeta, or, where downstream does not read
/// GstVideoMeta
/// (`packed`), a copy in the default layout. Memory that the decoder still needs is read-only:
/// whoever draws on it gets a copy. No times are set.
GstBuffer* frame_buffer(Frame frame, const GstVideoInfo& info, bool packed);

}  // namespace seesay::elements
