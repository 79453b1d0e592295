// See the header: formats, colorimetry, mapping and cropping.
#include "elements/features/frame_view_map.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "models/error.hpp"

namespace seesay::elements {
namespace {

using vision::ColourMatrix;
using vision::ColourRange;
using vision::PixelFormat;

constexpr std::array kFormats{
    std::pair{GST_VIDEO_FORMAT_I420, PixelFormat::I420},
    std::pair{GST_VIDEO_FORMAT_NV12, PixelFormat::NV12},
    std::pair{GST_VIDEO_FORMAT_YV12, PixelFormat::YV12},
    std::pair{GST_VIDEO_FORMAT_NV21, PixelFormat::NV21},
    std::pair{GST_VIDEO_FORMAT_Y42B, PixelFormat::Y42B},
    std::pair{GST_VIDEO_FORMAT_Y444, PixelFormat::Y444},
    std::pair{GST_VIDEO_FORMAT_GRAY8, PixelFormat::GRAY8},
    std::pair{GST_VIDEO_FORMAT_RGB, PixelFormat::RGB},
    std::pair{GST_VIDEO_FORMAT_BGR, PixelFormat::BGR},
    std::pair{GST_VIDEO_FORMAT_RGBx, PixelFormat::RGBx},
    std::pair{GST_VIDEO_FORMAT_BGRx, PixelFormat::BGRx},
    std::pair{GST_VIDEO_FORMAT_xRGB, PixelFormat::xRGB},
    std::pair{GST_VIDEO_FORMAT_xBGR, PixelFormat::xBGR},
    std::pair{GST_VIDEO_FORMAT_RGBA, PixelFormat::RGBA},
    std::pair{GST_VIDEO_FORMAT_BGRA, PixelFormat::BGRA},
    std::pair{GST_VIDEO_FORMAT_ARGB, PixelFormat::ARGB},
    std::pair{GST_VIDEO_FORMAT_ABGR, PixelFormat::ABGR},
};

ColourMatrix matrix_of(const GstVideoInfo& info) {
    switch (info.colorimetry.matrix) {
        case GST_VIDEO_COLOR_MATRIX_BT601:
        case GST_VIDEO_COLOR_MATRIX_FCC:
            return ColourMatrix::Bt601;
        case GST_VIDEO_COLOR_MATRIX_BT709:
        case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
            return ColourMatrix::Bt709;
        case GST_VIDEO_COLOR_MATRIX_BT2020:
            return ColourMatrix::Bt2020;
        default:
            // Untagged: what everybody assumes from the height.
            return info.height > 576 ? ColourMatrix::Bt709 : ColourMatrix::Bt601;
    }
}

/// The part of the frame that a GstVideoCropMeta names, moved to where every plane has a whole
/// sample.
void crop(vision::FrameView& view, const GstVideoFrame& frame, const GstVideoCropMeta& meta) {
    const GstVideoFormatInfo* format = frame.info.finfo;
    const int x_step = 1 << std::max(GST_VIDEO_FORMAT_INFO_W_SUB(format, 1), 0U);
    const int y_step = 1 << std::max(GST_VIDEO_FORMAT_INFO_H_SUB(format, 1), 0U);
    const bool subsampled = GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format) > 1;
    const int x = static_cast<int>(meta.x) / (subsampled ? x_step : 1) * (subsampled ? x_step : 1);
    const int y = static_cast<int>(meta.y) / (subsampled ? y_step : 1) * (subsampled ? y_step : 1);
    if (x < 0 || y < 0 || x >= view.width || y >= view.height) return;
    std::array<bool, GST_VIDEO_MAX_PLANES> moved{};
    for (guint component = 0; component < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); ++component) {
        const guint plane = GST_VIDEO_FORMAT_INFO_PLANE(format, component);
        if (std::exchange(moved.at(plane), true)) continue;
        view.planes.at(plane) +=
            static_cast<std::ptrdiff_t>(y >> GST_VIDEO_FORMAT_INFO_H_SUB(format, component)) *
                view.strides.at(plane) +
            static_cast<std::ptrdiff_t>(x >> GST_VIDEO_FORMAT_INFO_W_SUB(format, component)) *
                GST_VIDEO_FORMAT_INFO_PSTRIDE(format, component);
    }
    view.width = std::min(static_cast<int>(meta.width), view.width - x);
    view.height = std::min(static_cast<int>(meta.height), view.height - y);
}

}  // namespace

std::optional<PixelFormat> pixel_format(GstVideoFormat format) {
    const auto* found = std::find_if(kFormats.begin(), kFormats.end(),
                                     [format](const auto& entry) { return entry.first == format; });
    if (found == kFormats.end()) return std::nullopt;
    return found->second;
}

GstCaps* viewable_caps() {
    GValue formats = G_VALUE_INIT;
    gst_value_list_init(&formats, kFormats.size());
    for (const auto& entry : kFormats) {
        GValue format = G_VALUE_INIT;
        g_value_init(&format, G_TYPE_STRING);
        g_value_set_static_string(&format, gst_video_format_to_string(entry.first));
        gst_value_list_append_and_take_value(&formats, &format);
    }
    GstStructure* structure = gst_structure_new(
        "video/x-raw", "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height", GST_TYPE_INT_RANGE, 1,
        G_MAXINT, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, nullptr);
    gst_structure_take_value(structure, "format", &formats);
    GstCaps* caps = gst_caps_new_empty();
    gst_caps_append_structure(caps, gst_structure_copy(structure));
    gst_caps_append_structure_full(
        caps, structure,
        gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY,
                              GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION, nullptr));
    return caps;
}

std::int64_t nominal_duration_ns(const GstVideoInfo& info) {
    if (info.fps_n <= 0 || info.fps_d <= 0) return 0;
    return static_cast<std::int64_t>(gst_util_uint64_scale_int(GST_SECOND, info.fps_d, info.fps_n));
}

MappedFrame::MappedFrame(const GstVideoInfo& info, GstBuffer* buffer, GstMapFlags access) {
    const auto format = pixel_format(GST_VIDEO_INFO_FORMAT(&info));
    if (!format) {
        throw Error(std::string("frames of format ") +
                    gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info)) +
                    " cannot be read: put a videoconvert before the element");
    }
    if (!gst_video_frame_map(&frame_, &info, buffer, access)) {
        throw Error("a buffer of " + std::to_string(gst_buffer_get_size(buffer)) +
                    " bytes does not hold a frame of " + std::to_string(info.width) + "x" +
                    std::to_string(info.height) + " " +
                    gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info)) +
                    ": the source sends damaged video");
    }
    view_.format = *format;
    view_.width = GST_VIDEO_FRAME_WIDTH(&frame_);
    view_.height = GST_VIDEO_FRAME_HEIGHT(&frame_);
    for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame_); ++plane) {
        view_.planes.at(plane) =
            static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, plane));
        view_.strides.at(plane) = GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, plane);
    }
    view_.matrix = matrix_of(frame_.info);
    view_.range = frame_.info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
                      ? ColourRange::Full
                      : ColourRange::Limited;
    if (const GstVideoCropMeta* meta = gst_buffer_get_video_crop_meta(buffer))
        crop(view_, frame_, *meta);
}

MappedFrame::~MappedFrame() {
    gst_video_frame_unmap(&frame_);
}

}  // namespace seesay::elements
