// Format choice, swscale set-up and alpha over black.
#include "elements/source/frame_conversion.hpp"

#include <string>

#include "elements/source/tone_map.hpp"
#include "models/error.hpp"

namespace seesay::elements {
namespace {

bool has_alpha(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return format == AV_PIX_FMT_PAL8 || (description->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
}

// The 8-bit format nearest to `format`; alpha stays until it is laid over a colour.
AVPixelFormat nearest(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    if (description == nullptr || (description->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0) {
        return AV_PIX_FMT_NONE;
    }
    if (has_alpha(format)) return AV_PIX_FMT_RGBA;
    if ((description->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BAYER)) != 0)
        return AV_PIX_FMT_RGB0;
    if (description->nb_components < 3) return AV_PIX_FMT_GRAY8;
    if (description->log2_chroma_w == 1 && description->log2_chroma_h == 0)
        return AV_PIX_FMT_YUV422P;
    if (description->log2_chroma_w == 0) return AV_PIX_FMT_YUV444P;
    return AV_PIX_FMT_YUV420P;
}

void lay_over_black(AVFrame& frame) {
    for (int y = 0; y < frame.height; ++y) {
        std::uint8_t* pixel = frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0];
        for (int x = 0; x < frame.width; ++x, pixel += 4) {
            const unsigned alpha = pixel[3];
            for (int c = 0; c < 3; ++c) {
                pixel[c] = static_cast<std::uint8_t>((pixel[c] * alpha + 127) / 255);
            }
        }
    }
    frame.format = AV_PIX_FMT_RGB0;
}

bool is_high_dynamic_range(const AVFrame& frame) {
    return frame.color_trc == AVCOL_TRC_SMPTE2084 || frame.color_trc == AVCOL_TRC_ARIB_STD_B67;
}

Frame allocate(const AVFrame& like, AVPixelFormat format) {
    Frame frame(av_frame_alloc());
    if (frame == nullptr || av_frame_copy_props(frame.get(), &like) < 0) {
        throw Error("no memory for a converted frame");
    }
    frame->format = format;
    frame->width = like.width;
    frame->height = like.height;
    if (av_frame_get_buffer(frame.get(), 0) < 0) {
        throw Error("no memory for a converted frame of " + std::to_string(like.width) + "x" +
                    std::to_string(like.height));
    }
    return frame;
}

}  // namespace

bool passes(AVPixelFormat format) {
    switch (format) {
        case AV_PIX_FMT_YUV420P:
        case AV_PIX_FMT_YUVJ420P:
        case AV_PIX_FMT_YUV422P:
        case AV_PIX_FMT_YUVJ422P:
        case AV_PIX_FMT_YUV444P:
        case AV_PIX_FMT_YUVJ444P:
        case AV_PIX_FMT_NV12:
        case AV_PIX_FMT_NV21:
        case AV_PIX_FMT_GRAY8:
        case AV_PIX_FMT_RGB24:
        case AV_PIX_FMT_BGR24:
        case AV_PIX_FMT_RGB0:
        case AV_PIX_FMT_BGR0:
        case AV_PIX_FMT_0RGB:
        case AV_PIX_FMT_0BGR:
            return true;
        default:
            return false;
    }
}

bool is_full_range(const AVFrame& frame) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    if (description == nullptr) return false;
    if ((description->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0) return true;
    if (frame.color_range != AVCOL_RANGE_UNSPECIFIED) return frame.color_range == AVCOL_RANGE_JPEG;
    // Grey without a tag is how picture codecs and thermal cameras deliver it: all values are used.
    return description->nb_components < 3 || format == AV_PIX_FMT_YUVJ420P ||
           format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
           format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
}

FrameConverter::FrameConverter() = default;
FrameConverter::~FrameConverter() = default;

Frame FrameConverter::scale(const AVFrame& frame, AVPixelFormat target) {
    const auto source = static_cast<AVPixelFormat>(frame.format);
    scaler_.reset(sws_getCachedContext(
        scaler_.release(), frame.width, frame.height, source, frame.width, frame.height, target,
        SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr, nullptr));
    if (scaler_ == nullptr) {
        const char* name = av_get_pix_fmt_name(source);
        throw Error("cannot convert pictures of format " +
                    std::string(name == nullptr ? "?" : name) + ", " + std::to_string(frame.width) +
                    "x" + std::to_string(frame.height));
    }
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(target);
    const bool to_rgb = (description->flags & AV_PIX_FMT_FLAG_RGB) != 0;
    const int full = is_full_range(frame) ? 1 : 0;
    const AVColorSpace matrix = frame.colorspace == AVCOL_SPC_UNSPECIFIED && frame.height > 576
                                    ? AVCOL_SPC_BT709
                                    : frame.colorspace;
    const int* coefficients = sws_getCoefficients(matrix);
    sws_setColorspaceDetails(scaler_.get(), coefficients, full, coefficients, to_rgb ? 1 : full, 0,
                             1 << 16, 1 << 16);
    Frame converted = allocate(frame, target);
    if (sws_scale(scaler_.get(), frame.data, frame.linesize, 0, frame.height, converted->data,
                  converted->linesize) < 0) {
        throw Error("converting a decoded picture failed");
    }
    converted->color_range = to_rgb || full != 0 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    return converted;
}

void FrameConverter::convert(Frame& frame) {
    const auto format = static_cast<AVPixelFormat>(frame->format);
    if (is_high_dynamic_range(*frame)) {
        Frame planar = format == AV_PIX_FMT_YUV444P16LE ? std::move(frame)
                                                        : scale(*frame, AV_PIX_FMT_YUV444P16LE);
        if (tone_map_ == nullptr || !tone_map_->fits(*planar))
            tone_map_ = std::make_unique<ToneMap>(*planar);
        frame = allocate(*planar, AV_PIX_FMT_YUV420P);
        tone_map_->apply(*planar, *frame);
        return;
    }
    if (passes(format)) {
        return;
    }
    const AVPixelFormat target = nearest(format);
    if (target == AV_PIX_FMT_NONE) {
        throw Error("decoded pictures lie in a format that cannot be read (" +
                    std::string(av_get_pix_fmt_name(format) == nullptr
                                    ? "unknown"
                                    : av_get_pix_fmt_name(format)) +
                    ")");
    }
    if (format != AV_PIX_FMT_RGBA) {
        frame = scale(*frame, target);
    } else if (av_frame_make_writable(frame.get()) < 0) {
        throw Error("no memory for a converted frame");
    }
    if (target == AV_PIX_FMT_RGBA) lay_over_black(*frame);
}

}  // namespace seesay::elements
