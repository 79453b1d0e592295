// Wrapping of planes and translation of tags.
#include "elements/source/frame_buffer.hpp"

#include <algorithm>
#include <array>

#include "elements/source/frame_conversion.hpp"

namespace seesay::elements {
namespace {

GstVideoFormat gst_format(AVPixelFormat format) {
    switch (format) {
        case AV_PIX_FMT_YUV420P:
        case AV_PIX_FMT_YUVJ420P:
            return GST_VIDEO_FORMAT_I420;
        case AV_PIX_FMT_YUV422P:
        case AV_PIX_FMT_YUVJ422P:
            return GST_VIDEO_FORMAT_Y42B;
        case AV_PIX_FMT_YUV444P:
        case AV_PIX_FMT_YUVJ444P:
            return GST_VIDEO_FORMAT_Y444;
        case AV_PIX_FMT_NV12:
            return GST_VIDEO_FORMAT_NV12;
        case AV_PIX_FMT_NV21:
            return GST_VIDEO_FORMAT_NV21;
        case AV_PIX_FMT_GRAY8:
            return GST_VIDEO_FORMAT_GRAY8;
        case AV_PIX_FMT_RGB24:
            return GST_VIDEO_FORMAT_RGB;
        case AV_PIX_FMT_BGR24:
            return GST_VIDEO_FORMAT_BGR;
        case AV_PIX_FMT_RGB0:
            return GST_VIDEO_FORMAT_RGBx;
        case AV_PIX_FMT_BGR0:
            return GST_VIDEO_FORMAT_BGRx;
        case AV_PIX_FMT_0RGB:
            return GST_VIDEO_FORMAT_xRGB;
        case AV_PIX_FMT_0BGR:
            return GST_VIDEO_FORMAT_xBGR;
        default:
            return GST_VIDEO_FORMAT_UNKNOWN;
    }
}

GstVideoChromaSite chroma_site(AVChromaLocation location) {
    switch (location) {
        case AVCHROMA_LOC_LEFT:
            return GST_VIDEO_CHROMA_SITE_MPEG2;
        case AVCHROMA_LOC_CENTER:
            return GST_VIDEO_CHROMA_SITE_JPEG;
        case AVCHROMA_LOC_TOPLEFT:
            return GST_VIDEO_CHROMA_SITE_DV;
        default:
            return GST_VIDEO_CHROMA_SITE_UNKNOWN;
    }
}

void set_colorimetry(GstVideoInfo& info, const AVFrame& frame) {
    GstVideoColorimetry& colours = info.colorimetry;
    colours.range =
        is_full_range(frame) ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
    const bool rgb = GST_VIDEO_FORMAT_INFO_IS_RGB(info.finfo);
    if (!rgb && frame.colorspace != AVCOL_SPC_UNSPECIFIED && frame.colorspace != AVCOL_SPC_RGB) {
        const GstVideoColorMatrix matrix = gst_video_color_matrix_from_iso(frame.colorspace);
        if (matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN) colours.matrix = matrix;
    }
    if (frame.color_trc != AVCOL_TRC_UNSPECIFIED)
        colours.transfer = gst_video_transfer_function_from_iso(frame.color_trc);
    if (frame.color_primaries != AVCOL_PRI_UNSPECIFIED) {
        colours.primaries = gst_video_color_primaries_from_iso(frame.color_primaries);
    }
    const GstVideoChromaSite site = chroma_site(frame.chroma_location);
    if (GST_VIDEO_FORMAT_INFO_IS_YUV(info.finfo) && site != GST_VIDEO_CHROMA_SITE_UNKNOWN)
        info.chroma_site = site;
}

void release_frame(gpointer frame) {
    auto* owned = static_cast<AVFrame*>(frame);
    av_frame_free(&owned);
}

GstBuffer* copy_packed(const AVFrame& frame, const GstVideoInfo& info) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
    GstVideoFrame target;
    if (gst_video_frame_map(&target, &info, buffer, GST_MAP_WRITE)) {
        for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&target); ++plane) {
            const auto* source = frame.data[plane];
            auto* row = static_cast<guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&target, plane));
            const int bytes = GST_VIDEO_FRAME_COMP_WIDTH(&target, plane) *
                              GST_VIDEO_FRAME_COMP_PSTRIDE(&target, plane);
            for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&target, plane); ++y) {
                std::copy_n(source, bytes, row);
                source += frame.linesize[plane];
                row += GST_VIDEO_FRAME_PLANE_STRIDE(&target, plane);
            }
        }
        gst_video_frame_unmap(&target);
    }
    return buffer;
}

}  // namespace

GstVideoInfo video_info(const AVFrame& frame, AVRational pixel_aspect, AVRational rate,
                        bool interlaced) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, gst_format(static_cast<AVPixelFormat>(frame.format)),
                              frame.width, frame.height);
    if (pixel_aspect.num > 0 && pixel_aspect.den > 0) {
        info.par_n = pixel_aspect.num;
        info.par_d = pixel_aspect.den;
    }
    info.fps_n = rate.num > 0 && rate.den > 0 ? rate.num : 0;
    info.fps_d = rate.num > 0 && rate.den > 0 ? rate.den : 1;
    info.interlace_mode =
        interlaced ? GST_VIDEO_INTERLACE_MODE_MIXED : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
    set_colorimetry(info, frame);
    return info;
}

GstBuffer* frame_buffer(Frame frame, const GstVideoInfo& info, bool packed) {
    const int planes = static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info));
    bool wrappable = !packed;
    for (int plane = 0; plane < planes; ++plane) {
        // A negative stride (a picture stored upside down) has no place in GstVideoMeta before
        // GStreamer 1.24.
        wrappable = wrappable && frame->linesize[plane] > 0 &&
                    av_frame_get_plane_buffer(frame.get(), plane) != nullptr;
    }
    if (!wrappable) {
        return copy_packed(*frame, info);
    }
    const bool writable = av_frame_is_writable(frame.get()) > 0;
    GstBuffer* buffer = gst_buffer_new();
    std::array<gsize, GST_VIDEO_MAX_PLANES> offsets{};
    std::array<gint, GST_VIDEO_MAX_PLANES> strides{};
    gsize offset = 0;
    for (int plane = 0; plane < planes; ++plane) {
        AVBufferRef* memory = av_frame_get_plane_buffer(frame.get(), plane);
        const auto start = static_cast<gsize>(frame->data[plane] - memory->data);
        const int rows = GST_VIDEO_INFO_COMP_HEIGHT(&info, plane);
        const gsize needed = static_cast<gsize>(rows) * frame->linesize[plane];
        const gsize size = std::min(needed, static_cast<gsize>(memory->size) - start);
        offsets[plane] = offset;
        strides[plane] = frame->linesize[plane];
        // Each memory holds a reference to the frame: planes may be released one by one.
        gst_buffer_append_memory(
            buffer, gst_memory_new_wrapped(writable ? GstMemoryFlags{} : GST_MEMORY_FLAG_READONLY,
                                           memory->data, memory->size, start, size,
                                           av_frame_clone(frame.get()), release_frame));
        offset += size;
    }
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                   GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                                   planes, offsets.data(), strides.data());
    return buffer;
}

}  // namespace seesay::elements
