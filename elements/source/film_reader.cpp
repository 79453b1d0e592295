// The loop of libavcodec: packets in, frames out, damage counted.
#include "elements/source/film_reader.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "models/error.hpp"

namespace seesay::elements {
namespace {

const AVCodec* find_decoder(const AVStream& stream) {
    // libavcodec's own VP8 and VP9 decoders leave out the alpha plane that WebM keeps beside the
    // picture.
    const AVDictionaryEntry* alpha = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    if (alpha != nullptr && std::string_view(alpha->value) == "1") {
        const AVCodec* codec = stream.codecpar->codec_id == AV_CODEC_ID_VP9
                                   ? avcodec_find_decoder_by_name("libvpx-vp9")
                               : stream.codecpar->codec_id == AV_CODEC_ID_VP8
                                   ? avcodec_find_decoder_by_name("libvpx")
                                   : nullptr;
        if (codec != nullptr) return codec;
    }
    return avcodec_find_decoder(stream.codecpar->codec_id);
}

}  // namespace

FilmReader::FilmReader(std::unique_ptr<FilmInput> input, int threads, Tap tap)
    : input_(std::move(input)), tap_(std::move(tap)), times_(input_->frame_duration_ns()) {
    open_decoder(threads);
}

void FilmReader::open_decoder(int threads) {
    const AVStream& stream = input_->video();
    const AVCodec* codec = find_decoder(stream);
    if (codec == nullptr) {
        throw Error(input_->location() + ": no decoder for its video (" +
                    avcodec_get_name(stream.codecpar->codec_id) + ")");
    }
    const std::int64_t pixels =
        static_cast<std::int64_t>(stream.codecpar->width) * stream.codecpar->height;
    if (pixels > kMaximumPixels) {
        throw Error(
            input_->location() + ": its pictures of " + std::to_string(stream.codecpar->width) +
            "x" + std::to_string(stream.codecpar->height) + " are over the limit of " +
            std::to_string(kMaximumPixels / 1'000'000) + " million pixels; scale it down first");
    }
    decoder_.reset(avcodec_alloc_context3(codec));
    if (decoder_ == nullptr || avcodec_parameters_to_context(decoder_.get(), stream.codecpar) < 0) {
        throw Error(input_->location() + ": its video parameters cannot be used");
    }
    decoder_->pkt_timebase = stream.time_base;
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.4g",
                  1e9 / static_cast<double>(input_->frame_duration_ns()));
    report_.assumed_rate = rate;
    if (codec->id == AV_CODEC_ID_MJPEG) decoder_->err_recognition = AV_EF_EXPLODE;
    decoder_->max_pixels = kMaximumPixels;
    // Each decoding thread holds frames of its own.
    decoder_->thread_count = pixels > kHugePicture ? 1 : threads;
    decoder_->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
    const int opened = avcodec_open2(decoder_.get(), codec, nullptr);
    if (opened < 0) {
        throw Error(input_->location() + ": its video decoder (" + codec->name +
                    ") cannot be started: " + libav_error(opened));
    }
}

bool FilmReader::is_damaged(const AVFrame& frame) const {
    return (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0 ||
           frame.width <= 0 || frame.height <= 0;
}

// Half a JPEG decodes without complaint, to half a picture. What is missing is the end marker,
// unless this camera never writes one.
bool FilmReader::is_cut_jpeg(const AVPacket& packet) {
    if (decoder_->codec_id != AV_CODEC_ID_MJPEG || packet.size < 4) {
        return false;
    }
    constexpr int kPadding = 64;  // some writers fill up behind the marker
    for (int i = packet.size - 2; i >= std::max(2, packet.size - kPadding); --i) {
        if (packet.data[i] == 0xFF && packet.data[i + 1] == 0xD9) {
            jpegs_end_ = true;
            return false;
        }
    }
    return jpegs_end_;
}

// Files without times: where every packet is a picture, left-out ones must leave a gap.
void FilmReader::invent_time(AVPacket& packet) {
    const AVCodecDescriptor* codec = avcodec_descriptor_get(decoder_->codec_id);
    const bool in_order = codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
    const bool timeless = packet.pts == AV_NOPTS_VALUE && packet.dts == AV_NOPTS_VALUE;
    report_.without_times = timeless && (packets_ == 0 || report_.without_times);
    if (report_.without_times && in_order) {
        packet.pts = packet.dts = av_rescale_q(packets_ * input_->frame_duration_ns(), kNanoseconds,
                                               input_->video().time_base);
    }
    ++packets_;
}

// One packet from the file into the decoder, or the end.
void FilmReader::feed() {
    Packet packet(av_packet_alloc());
    switch (input_->read(*packet)) {
        case FilmInput::Read::Packet:
            break;
        case FilmInput::Read::Damaged:
            report_.broken_off = input_->error();
            [[fallthrough]];
        case FilmInput::Read::End:
        case FilmInput::Read::Stopped:
            draining_ = true;
            avcodec_send_packet(decoder_.get(), nullptr);
            return;
    }
    const AVStream& stream = *input_->format().streams[packet->stream_index];
    const std::int64_t stamp = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
    if (stamp != AV_NOPTS_VALUE) {
        report_.read_until_ns =
            std::max(report_.read_until_ns, input_->film_time_ns(stamp + packet->duration, stream));
    }
    if (tap_) tap_(*packet, stream);
    if (packet->stream_index != input_->video_track()) {
        return;
    }
    invent_time(*packet);
    const bool cut = is_cut_jpeg(*packet);
    const bool corrupt = cut || (packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
    const int sent = cut ? 0 : avcodec_send_packet(decoder_.get(), packet.get());
    if (sent < 0 || corrupt) {
        ++(started_ ? report_.undecodable : report_.before_first);
    }
}

bool FilmReader::receive(Frame& frame) {
    for (;;) {
        const int result = avcodec_receive_frame(decoder_.get(), frame.get());
        if (result >= 0) {
            return true;
        }
        if (result == AVERROR_EOF) {
            return false;
        }
        if (result != AVERROR(EAGAIN)) {
            // A broken picture: the decoder goes on with the next packet.
            ++(started_ ? report_.undecodable : report_.before_first);
            continue;
        }
        if (draining_) {
            return false;
        }
        feed();
    }
}

std::optional<FilmReader::Pending> FilmReader::decode() {
    Frame frame(av_frame_alloc());
    while (receive(frame)) {
        if (is_damaged(*frame)) {
            ++(started_ ? report_.undecodable : report_.before_first);
            av_frame_unref(frame.get());
            continue;
        }
        started_ = true;
        const std::int64_t stamp = frame->best_effort_timestamp;
        Pending decoded{std::move(frame), std::nullopt};
        if (stamp != AV_NOPTS_VALUE) {
            decoded.time = input_->film_time_ns(stamp, input_->video());
        }
        converter_.convert(decoded.frame);
        return decoded;
    }
    return std::nullopt;
}

std::optional<FilmFrame> FilmReader::next() {
    for (;;) {
        if (!pending_) pending_ = decode();
        if (!pending_) {
            return std::nullopt;
        }
        Pending current = std::move(*pending_);
        pending_ = decode();
        FilmFrame result;
        result.time_ns = times_.repair(current.time, pending_ ? pending_->time : std::nullopt);
        const std::int64_t stated =
            current.frame->pkt_duration > 0
                ? av_rescale_q(current.frame->pkt_duration, input_->video().time_base, kNanoseconds)
                : input_->frame_duration_ns();
        result.duration_ns = stated;
        if (pending_ && pending_->time && *pending_->time > result.time_ns) {
            result.duration_ns = *pending_->time - result.time_ns;
        }
        if (skip_before_ns_ >= 0 && result.time_ns + result.duration_ns <= skip_before_ns_ &&
            pending_) {
            continue;
        }
        skip_before_ns_ = -1;
        result.frame = std::move(current.frame);
        ++report_.frames;
        report_.repaired = report_.without_times ? 0 : times_.repaired();
        report_.end_ns = std::max(report_.end_ns, result.time_ns + result.duration_ns);
        return result;
    }
}

bool FilmReader::seek(std::int64_t time_ns) {
    const AVStream& stream = input_->video();
    const std::int64_t stamp =
        av_rescale_q(time_ns + input_->origin_ns(), kNanoseconds, stream.time_base);
    if (av_seek_frame(&input_->format(), input_->video_track(), stamp, AVSEEK_FLAG_BACKWARD) < 0) {
        return false;
    }
    avcodec_flush_buffers(decoder_.get());
    pending_.reset();
    times_.restart();
    draining_ = false;
    skip_before_ns_ = time_ns;
    return true;
}

}  // namespace seesay::elements
