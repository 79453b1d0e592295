// Owning pointers for libav's structures, and its error numbers as text.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace seesay::elements {

struct FormatInputClose {
    void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};
struct CodecContextFree {
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
};
struct PacketFree {
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
struct FrameFree {
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct ScalerFree {
    void operator()(SwsContext* context) const { sws_freeContext(context); }
};

using FormatInput = std::unique_ptr<AVFormatContext, FormatInputClose>;
using CodecContext = std::unique_ptr<AVCodecContext, CodecContextFree>;
using Packet = std::unique_ptr<AVPacket, PacketFree>;
using Frame = std::unique_ptr<AVFrame, FrameFree>;
using Scaler = std::unique_ptr<SwsContext, ScalerFree>;

inline constexpr AVRational kNanoseconds{1, 1'000'000'000};

/// libav's words for one of its error numbers.
inline std::string libav_error(int number) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(number, text, sizeof text);
    return text;
}

}  // namespace seesay::elements
