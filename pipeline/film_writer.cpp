// Waiting, ordering and writing of packets. How tracks are described is in film_tracks.cpp.
#include "pipeline/film_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "pipeline/container_boxes.hpp"
#include "pipeline/output_paths.hpp"

namespace seesay::pipeline {
namespace {

using elements::kNanoseconds;
using elements::Packet;

constexpr std::size_t kMostWaitingBytes = 64U << 20;
constexpr std::int64_t kDisorder = 500'000'000;  // ns: what goes back further goes on from there
constexpr std::int64_t kRecordingWait =
    2'000'000'000;  // ns that a recording may lag behind its source

Packet new_packet(std::size_t size) {
    Packet packet(av_packet_alloc());
    if (packet == nullptr || av_new_packet(packet.get(), static_cast<int>(size)) < 0) {
        throw Error("no memory for a packet of " + std::to_string(size) + " bytes");
    }
    return packet;
}

// At most `limit` bytes of a text, never part of a UTF-8 character.
std::string cut_text(std::string text, std::size_t limit) {
    if (text.size() <= limit) {
        return text;
    }
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80)
        --limit;
    text.resize(limit);
    return text;
}

// The packet of a caption as the container keeps text. MP4's timed text knows no mark-up: the text
// as it is, behind its length in two bytes. Matroska keeps SubRip, without a length.
Packet cue_packet(const Cue& cue, Container container) {
    const bool timed_text = container == Container::Mp4;
    const std::string text = cut_text(timed_text ? cue.text : subrip_text(cue.text), 0xFFFF);
    const std::size_t front = timed_text ? 2 : 0;
    Packet packet = new_packet(front + text.size());
    if (timed_text) {
        packet->data[0] = static_cast<std::uint8_t>(text.size() >> 8);
        packet->data[1] = static_cast<std::uint8_t>(text.size());
    }
    std::memcpy(packet->data + front, text.data(), text.size());
    packet->flags = AV_PKT_FLAG_KEY;
    return packet;
}

}  // namespace

void FilmWriter::OutputFree::operator()(AVFormatContext* context) const {
    if (context->pb != nullptr) avio_closep(&context->pb);
    avformat_free_context(context);
}

FilmWriter::FilmWriter(FilmWriterOptions options, const elements::FilmInput* input)
    : options_(std::move(options)), part_(part_path(options_.output)) {
    AVFormatContext* context = nullptr;
    const char* muxer = muxer_name(options_.container, options_.output);
    check(avformat_alloc_output_context2(&context, nullptr, muxer, part_.c_str()),
          "cannot be written");
    format_.reset(context);
    if (input != nullptr) {
        add_tracks(*input);
    } else {
        add_stream_track();
    }
    if (options_.container != Container::WebM) add_caption_track();
    const std::string url = "file:" + part_.string();
    check(avio_open(&format_->pb, url.c_str(), AVIO_FLAG_WRITE), "cannot be written");
    if (!options_.plan.tracks.empty() && options_.plan.of(video_input_).fate != TrackFate::Burned)
        write_header();
}

FilmWriter::~FilmWriter() {
    if (!finished_ && format_ != nullptr && format_->pb != nullptr) {
        format_.reset();
        std::error_code ignored;
        std::filesystem::remove(part_, ignored);
    }
}

void FilmWriter::fail(int result, const char* action) const {
    throw Error(options_.output.string() + ": " + action + ": " + elements::libav_error(result));
}

void FilmWriter::check(int result, const char* action) {
    if (result < 0) fail(result, action);
    // Writes are buffered: an error shows in the stream later than in the call that caused it.
    if (format_ != nullptr && format_->pb != nullptr && format_->pb->error < 0)
        fail(format_->pb->error, action);
}

void FilmWriter::write_header() {
    AVDictionary* settings = nullptr;
    if (options_.container != Container::Mp4) {
        av_dict_set(&settings, "default_mode", "passthrough",
                    0);  // flags as they are, none invented
    }
    if (options_.container == Container::Matroska) {
        av_dict_set(&settings, "write_crc32", "0", 0);  // set_delays changes the header in place
    }
    if (options_.fragmented && options_.container == Container::Mp4) {
        av_dict_set(&settings, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0);
        av_dict_set(&settings, "min_frag_duration", "1000000", 0);
    }
    format_->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
    format_->max_interleave_delta = 2 * AV_TIME_BASE;
    const int result = avformat_write_header(format_.get(), &settings);
    av_dict_free(&settings);
    check(result, "cannot be started");
    header_written_ = true;
    if (options_.fragmented) {
        avio_flush(format_->pb);
        set_delays();
    }
    for (auto& [time, waiting] : waiting_) {
        AVPacket& packet = *waiting;
        const AVRational actual = format_->streams[packet.stream_index]->time_base;
        av_packet_rescale_ts(&packet, packet.time_base, actual);
        packet.time_base = actual;
    }
}

void FilmWriter::fix_times(AVPacket& packet, CopiedTrack& track) {
    const auto moved = [&](std::int64_t time) {
        return time == AV_NOPTS_VALUE ? time : time - track.origin + track.shift;
    };
    packet.pts = moved(packet.pts);
    packet.dts = moved(packet.dts);
    if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
    if (packet.dts == AV_NOPTS_VALUE) {
        const std::int64_t step = std::max<std::int64_t>(1, packet.duration);
        packet.dts = track.last_decode_time == AV_NOPTS_VALUE ? 0 : track.last_decode_time + step;
    }
    // A clock that jumps back (spliced broadcasts) goes on where it was; players and muxers want
    // rising times.
    if (track.last_decode_time != AV_NOPTS_VALUE && packet.dts <= track.last_decode_time) {
        const std::int64_t gap =
            track.last_decode_time - packet.dts + std::max<std::int64_t>(1, packet.duration);
        const bool jump = av_rescale_q(gap, track.time_base, kNanoseconds) > kDisorder;
        if (jump) track.shift += gap;
        const std::int64_t by = jump ? gap : track.last_decode_time + 1 - packet.dts;
        packet.dts += by;
        if (packet.pts != AV_NOPTS_VALUE)
            packet.pts = jump ? packet.pts + by : std::max(packet.pts, packet.dts);
    }
    if (packet.pts == AV_NOPTS_VALUE) packet.pts = packet.dts;
    packet.pts = std::max(packet.pts, packet.dts);
    track.last_decode_time = packet.dts;
}

void FilmWriter::copy(const AVPacket& packet, const AVStream& stream) {
    const std::lock_guard lock(mutex_);
    if (stream.index == video_input_ && packet.pts != AV_NOPTS_VALUE)
        source_times_.insert(packet.pts);
    if (stream.index >= static_cast<int>(copied_.size()) || copied_[stream.index].output < 0) {
        return;
    }
    CopiedTrack& track = copied_[stream.index];
    Packet copied(av_packet_clone(&packet));
    if (copied == nullptr) throw Error("no memory for a copied packet");
    fix_times(*copied, track);
    const std::int64_t decode_time_ns = av_rescale_q(copied->dts, track.time_base, kNanoseconds);
    copied->stream_index = track.output;
    copied->time_base = track.time_base;
    copied->pos = -1;
    if (stream.index == video_input_) video_ns_ = std::max(video_ns_, decode_time_ns);
    enqueue(std::move(copied), decode_time_ns);
}

void FilmWriter::burned(BurnedPacket burned) {
    const std::lock_guard lock(mutex_);
    Packet packet = new_packet(burned.data.size());
    std::memcpy(packet->data, burned.data.data(), burned.data.size());
    const AVStream& stream = *format_->streams[burned_track_];
    const AVRational ticks = stream.time_base;
    packet->pts = av_rescale_q(burned.time_ns, kNanoseconds, ticks);
    packet->dts = std::min(packet->pts, av_rescale_q(burned.decode_time_ns, kNanoseconds, ticks));
    packet->duration = av_rescale_q(burned.duration_ns, kNanoseconds, ticks);
    packet->time_base = ticks;
    packet->stream_index = burned_track_;
    packet->flags = burned.key_frame ? AV_PKT_FLAG_KEY : 0;
    ++match_.frames;
    const auto source = source_times_.find(
        av_rescale_q(burned.time_ns + origin_ns_, kNanoseconds, video_time_base_));
    if (source != source_times_.end()) {
        ++match_.matched;
        source_times_.erase(source);
    }
    video_ns_ = std::max(video_ns_, burned.decode_time_ns);
    if (first_decode_ticks_ == AV_NOPTS_VALUE) {
        first_video_ticks_ = packet->pts;
        first_decode_ticks_ = packet->dts;
    }
    first_video_ticks_ = std::min(first_video_ticks_, packet->pts);
    enqueue(std::move(packet), burned.decode_time_ns);
}

void FilmWriter::enqueue(Packet packet, std::int64_t decode_time_ns) {
    if (header_written_) {
        const AVRational actual = format_->streams[packet->stream_index]->time_base;
        av_packet_rescale_ts(packet.get(), packet->time_base, actual);
        packet->time_base = actual;
    }
    waiting_bytes_ += static_cast<std::size_t>(packet->size);
    waiting_.emplace(decode_time_ns, std::move(packet));
    release(false);
}

void FilmWriter::captioned(std::int64_t time_ns) {
    const std::lock_guard lock(mutex_);
    captioned_ns_ = std::max(captioned_ns_, time_ns);
}

void FilmWriter::caption(const elements::CaptionUpdate& update) {
    const std::lock_guard lock(mutex_);
    if (const auto cue = cues_.update(update)) write_cue(*cue);
}

void FilmWriter::write_cue(const Cue& cue) {
    if (caption_track_ < 0) {
        return;
    }
    const auto ordered = in_order({cue});
    if (ordered.empty()) {
        return;
    }
    Packet packet = cue_packet(ordered.front(), options_.container);
    constexpr AVRational milliseconds{1, 1000};
    packet->pts = packet->dts = ordered.front().start_ns / 1'000'000;
    packet->duration = (ordered.front().end_ns - ordered.front().start_ns) / 1'000'000;
    packet->stream_index = caption_track_;
    packet->time_base = milliseconds;
    if (header_written_) {
        const AVRational actual = format_->streams[caption_track_]->time_base;
        av_packet_rescale_ts(packet.get(), milliseconds, actual);
        packet->time_base = actual;
    }
    waiting_.emplace(cue.start_ns, std::move(packet));
}

// What comes before both the newest video and the first moment whose caption is not known yet can
// be written.
void FilmWriter::release(bool everything) {
    if (!header_written_) {
        return;
    }
    const auto open = cues_.open_start_ns();
    std::int64_t known_ns = open ? *open : captioned_ns_;
    const bool too_much = waiting_bytes_ > kMostWaitingBytes;
    const bool too_late = options_.fragmented && captioned_ns_ - known_ns > kRecordingWait;
    if (open && (too_much || too_late)) {
        // A long caption is written in parts, which players show as one.
        if (const auto part = cues_.cut(captioned_ns_)) write_cue(*part);
        known_ns = captioned_ns_;
    }
    const std::int64_t until_ns = caption_track_ < 0 ? video_ns_ : std::min(video_ns_, known_ns);
    while (!waiting_.empty()) {
        const auto first = waiting_.begin();
        if (!everything && first->first >= until_ns && waiting_bytes_ <= kMostWaitingBytes) break;
        const Packet packet = std::move(first->second);
        waiting_.erase(first);
        waiting_bytes_ -= std::min(waiting_bytes_, static_cast<std::size_t>(packet->size));
        write(*packet);
    }
}

void FilmWriter::write(AVPacket& packet) {
    for (const CopiedTrack& track : copied_) {
        if (track.delay_ns == 0 || track.output != packet.stream_index) continue;
        // In whole ticks, as readers take it off again.
        const std::int64_t delay = av_rescale_q(track.delay_ns, kNanoseconds, packet.time_base);
        packet.pts += delay;
        packet.dts += delay;
    }
    check(av_interleaved_write_frame(format_.get(), &packet), "cannot be written");
    if (options_.fragmented) avio_flush(format_->pb);
}

// MP4 knows a track's length only as the sum of steps between decode times. Frames that are
// reordered and unevenly spaced make that sum another than the film's length, so the last packet's
// step makes up for it.
void FilmWriter::stretch_to(std::int64_t end_ns) {
    if (options_.container != Container::Mp4 || options_.fragmented || burned_track_ < 0) {
        return;
    }
    const auto is_burned = [this](const auto& waiting) {
        return waiting.second->stream_index == burned_track_;
    };
    const auto last = std::find_if(waiting_.rbegin(), waiting_.rend(), is_burned);
    if (last == waiting_.rend()) {
        return;
    }
    AVPacket& packet = *last->second;
    const std::int64_t end = av_rescale_q(end_ns, kNanoseconds, packet.time_base);
    const std::int64_t missing =
        end - first_video_ticks_ - (packet.dts - first_decode_ticks_);  // in the sum without it
    const std::int64_t shown = end - packet.pts;  // longer, and the film would end later
    if (missing > shown) packet.dts = std::min(packet.pts, packet.dts + missing - shown);
    packet.duration = std::max<std::int64_t>(1, std::min(missing, shown));
}

void FilmWriter::finish(std::int64_t end_ns) {
    const std::lock_guard lock(mutex_);
    if (!header_written_) {
        throw Error(options_.output.string() +
                    ": no film was written, because no frame was encoded");
    }
    if (const auto cue = cues_.finish(end_ns)) write_cue(*cue);
    stretch_to(end_ns);
    release(true);
    check(av_write_trailer(format_.get()), "cannot be finished");
    const int closed = avio_closep(&format_->pb);
    if (closed < 0) {
        std::error_code ignored;
        std::filesystem::remove(part_, ignored);
        fail(closed, "cannot be finished");
    }
    finished_ = true;
    try {
        if (options_.container == Container::Mp4) {
            std::vector<int> enabled;
            for (unsigned i = 0; i < format_->nb_streams; ++i) {
                const AVStream& stream = *format_->streams[i];
                if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) continue;
                const bool subtitle = stream.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE;
                enabled.push_back(!subtitle                                            ? -1
                                  : (stream.disposition & AV_DISPOSITION_DEFAULT) != 0 ? 1
                                                                                       : 0);
            }
            set_enabled_tracks(part_, enabled);
        }
        set_delays();
        std::filesystem::rename(part_, options_.output);
    } catch (const std::exception& error) {
        std::error_code ignored;
        std::filesystem::remove(part_, ignored);
        throw Error(options_.output.string() + ": cannot be finished: " + error.what());
    }
}

TimeMatch FilmWriter::match() const {
    const std::lock_guard lock(mutex_);
    return match_;
}

}  // namespace seesay::pipeline
