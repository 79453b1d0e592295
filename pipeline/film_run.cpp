// Running: the bus, the probes, the end. How the pipeline is put together is in film_build.cpp.
#include "pipeline/film_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "elements/meta/seesay_meta.hpp"
#include "elements/source/seesaysource.hpp"
#include "models/error.hpp"
#include "pipeline/encoder.hpp"

namespace seesay::pipeline {
namespace {

using std::chrono::steady_clock;

constexpr auto kReportEvery = std::chrono::milliseconds(100);
constexpr auto kStopDeadline = std::chrono::seconds(4);  // for the last frames after a stop
constexpr auto kStopPatience =
    std::chrono::milliseconds(500);  // for a frame that carries the end along
constexpr const char* kFailed = "seesay-failed";

struct MessageUnref {
    void operator()(GstMessage* message) const { gst_message_unref(message); }
};
using Message = std::unique_ptr<GstMessage, MessageUnref>;

// Stream time, also before the segment, where decode times of the first frames lie.
std::int64_t stream_time(const GstSegment& segment, GstClockTime time) {
    return static_cast<std::int64_t>(time) - static_cast<std::int64_t>(segment.start) +
           static_cast<std::int64_t>(segment.time);
}

}  // namespace

FilmRun::FilmRun(const CaptionJob& job, const CaptionCallbacks& callbacks,
                 const std::atomic<bool>& stop, const std::string& stream,
                 std::unique_ptr<elements::FilmInput> input)
    : job_(job), callbacks_(callbacks), stop_(stop), stream_(stream), input_(std::move(input)) {
    plan_outputs();
    try {
        build();
    } catch (...) {
        if (pipeline_ != nullptr) gst_object_unref(pipeline_);
        throw;
    }
}

FilmRun::~FilmRun() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
}

void FilmRun::notice(const std::string& text) const {
    if (callbacks_.on_notice) callbacks_.on_notice(text);
}

void FilmRun::incomplete(const std::string& text) {
    result_.incomplete.push_back(text);
}

// Called on streaming threads: the first error counts, and the bus loop throws it.
void FilmRun::fail(std::exception_ptr error) {
    {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
    }
    failed_ = true;
    gst_element_post_message(
        pipeline_,
        gst_message_new_application(GST_OBJECT(pipeline_), gst_structure_new_empty(kFailed)));
}

// Once the end was asked for, the frame that comes next becomes the end, on its own thread.
GstPadProbeReturn FilmRun::on_source_buffer(GstPad* pad, GstPadProbeInfo* info,
                                            gpointer self_pointer) {
    auto& self = *static_cast<FilmRun*>(self_pointer);
    if (!self.stop_ && !self.failed_) {
        return GST_PAD_PROBE_OK;
    }
    if (!self.cut_.exchange(true)) {
        gst_pad_push_event(pad, gst_event_new_eos());
    }
    gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
    return GST_PAD_PROBE_HANDLED;
}

GstPadProbeReturn FilmRun::on_middle(GstPad*, GstPadProbeInfo* info, gpointer self_pointer) {
    auto& self = *static_cast<FilmRun*>(self_pointer);
    if (self.failed_) {
        return GST_PAD_PROBE_OK;
    }
    try {
        if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
            self.captioned(GST_PAD_PROBE_INFO_BUFFER(info));
        } else if (const auto update =
                       elements::parse_caption_update_event(GST_PAD_PROBE_INFO_EVENT(info))) {
            self.updated(*update);
        }
    } catch (...) {
        self.fail(std::current_exception());
    }
    return GST_PAD_PROBE_OK;
}

void FilmRun::captioned(GstBuffer* buffer) {
    const auto time = static_cast<std::int64_t>(GST_BUFFER_PTS(buffer));
    const std::int64_t duration = GST_BUFFER_DURATION_IS_VALID(buffer)
                                      ? static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer))
                                      : 0;
    {
        const std::lock_guard lock(mutex_);
        ++progress_.frames;
        progress_.position_ns = std::max(progress_.position_ns, time);
        end_ns_ = std::max(end_ns_, time + duration);
        if (burns()) encoding_[time] = duration;
    }
    if (writer_) writer_->captioned(time);
}

void FilmRun::updated(const elements::CaptionUpdate& update) {
    if (writer_) writer_->caption(update);
    bool opened = false;
    {
        const std::lock_guard lock(mutex_);
        cues_.update(update);
        opened = update.segment.id != last_segment_;
        last_segment_ = update.segment.id;
        captions_ += opened ? 1 : 0;
    }
    if (opened && callbacks_.on_caption)
        callbacks_.on_caption(update.segment.start_ns, update.caption->text);
}

GstFlowReturn FilmRun::on_sample(GstElement* sink, gpointer self_pointer) {
    auto& self = *static_cast<FilmRun*>(self_pointer);
    GstSample* sample = nullptr;
    g_signal_emit_by_name(sink, "pull-sample", &sample);
    if (sample == nullptr) {
        return GST_FLOW_EOS;
    }
    try {
        if (!self.failed_) self.encoded(sample);
    } catch (...) {
        self.fail(std::current_exception());
    }
    gst_sample_unref(sample);
    return self.failed_ ? GST_FLOW_EOS : GST_FLOW_OK;
}

void FilmRun::encoded(GstSample* sample) {
    GstBuffer* buffer = gst_sample_get_buffer(sample);
    const GstSegment& segment = *gst_sample_get_segment(sample);
    writer_->describe_burned(describe_encoded(gst_sample_get_caps(sample), tagged_));
    BurnedPacket packet;
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) throw Error("an encoded frame cannot be read");
    packet.data.assign(map.data, map.data + map.size);
    gst_buffer_unmap(buffer, &map);
    packet.time_ns = stream_time(segment, GST_BUFFER_PTS(buffer));
    packet.decode_time_ns = GST_BUFFER_DTS_IS_VALID(buffer)
                                ? stream_time(segment, GST_BUFFER_DTS(buffer))
                                : packet.time_ns;
    packet.duration_ns = take_duration(packet.time_ns, packet.decode_time_ns);
    packet.key_frame = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    writer_->burned(std::move(packet));
}

// Parsers behind the encoder replace durations by what the average frame rate says, so they are
// kept aside. What comes after this packet is decoded, and so shown, no earlier: a frame from
// before that the encoder left out is forgotten here.
std::int64_t FilmRun::take_duration(std::int64_t time_ns, std::int64_t decode_time_ns) {
    const std::lock_guard lock(mutex_);
    const auto frame = encoding_.find(time_ns);
    const std::int64_t duration_ns = frame == encoding_.end() ? 0 : frame->second;
    if (frame != encoding_.end()) encoding_.erase(frame);
    encoding_.erase(encoding_.begin(), encoding_.lower_bound(decode_time_ns));
    return duration_ns;
}

CaptionJobResult FilmRun::run() {
    started_ = reported_ = steady_clock::now();
    if (gst_element_set_state(pipeline_, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
        fail_to_start();
    }
    wait_for_end();
    const elements::FilmReport report = elements::film_report(source_);
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    {
        const std::lock_guard lock(mutex_);
        if (error_) std::rethrow_exception(error_);
    }
    judge(report);
    finish();
    report_progress(true);
    result_.progress = progress_;
    result_.captions = captions_;
    result_.exit_code = result_.incomplete.empty() ? 0 : 3;
    return result_;
}

void FilmRun::fail_to_start() {
    GstBus* bus = gst_element_get_bus(pipeline_);
    const Message message(gst_bus_timed_pop_filtered(bus, GST_SECOND, GST_MESSAGE_ERROR));
    gst_object_unref(bus);
    throw Error(message ? describe_error(message.get())
                        : job_.input + ": the pipeline cannot be started");
}

void FilmRun::wait_for_end() {
    GstBus* bus = gst_element_get_bus(pipeline_);
    std::optional<steady_clock::time_point> stopped;
    for (bool going = true; going;) {
        const Message message(gst_bus_timed_pop(bus, 50 * GST_MSECOND));
        if (message) going = handle(message.get());
        report_progress(false);
        if (stop_ && !stopped) stopped = steady_clock::now();
        if (stopped && going) {
            const auto waited = steady_clock::now() - *stopped;
            if (waited > kStopPatience) ask_to_stop();
            going = waited < kStopDeadline;
        }
    }
    gst_object_unref(bus);
}

// No frame came that could carry the end along: the source is silent.
void FilmRun::ask_to_stop() {
    if (!std::exchange(end_sent_, true) && !cut_.exchange(true)) {
        GstPad* pad = gst_element_get_static_pad(source_, "src");
        gst_pad_push_event(pad, gst_event_new_eos());
        gst_object_unref(pad);
    }
}

bool FilmRun::handle(GstMessage* message) {
    switch (GST_MESSAGE_TYPE(message)) {
        case GST_MESSAGE_EOS:
            return false;
        case GST_MESSAGE_APPLICATION:
            return !gst_message_has_name(message, kFailed);
        case GST_MESSAGE_ERROR: {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::make_exception_ptr(Error(describe_error(message)));
            failed_ = true;
            return false;
        }
        case GST_MESSAGE_WARNING: {
            GError* warning = nullptr;
            gst_message_parse_warning(message, &warning, nullptr);
            notice(warning->message);
            g_error_free(warning);
            return true;
        }
        case GST_MESSAGE_LATENCY:
            gst_bin_recalculate_latency(GST_BIN(pipeline_));
            return true;
        default:
            return true;
    }
}

std::string FilmRun::describe_error(GstMessage* message) const {
    GError* error = nullptr;
    gchar* details = nullptr;
    gst_message_parse_error(message, &error, &details);
    std::string text(error->message);
    const char* type = G_OBJECT_TYPE_NAME(GST_MESSAGE_SRC(message));
    const bool ours = g_str_has_prefix(type, "Seesay") != FALSE;
    if (!ours) {
        text = job_.input + ": " + text;
        // GStreamer's own text for a failed stream says nothing; its last line of details does.
        if (g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED) &&
            details != nullptr) {
            const std::string all(details);
            const auto line = all.find_last_of('\n');
            text += " (" + std::string(type) + ": " +
                    (line == std::string::npos ? all : all.substr(line + 1)) + ")";
        }
    } else if (text.find(job_.input) == std::string::npos && g_str_has_prefix(type, "SeesayFilm")) {
        text = job_.input + ": " + text;
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    g_error_free(error);
    g_free(details);
    return text;
}

void FilmRun::report_progress(bool at_end) {
    const auto now = steady_clock::now();
    if (!at_end && now - reported_ < kReportEvery) {
        return;
    }
    reported_ = now;
    CaptionProgress progress;
    {
        const std::lock_guard lock(mutex_);
        progress_.duration_ns = duration_ns_;
        progress_.elapsed_s = std::chrono::duration<double>(now - started_).count();
        if (at_end) progress_.position_ns = std::max(progress_.position_ns, end_ns_);
        progress = progress_;
    }
    if (callbacks_.on_progress) callbacks_.on_progress(progress);
}

void FilmRun::finish() {
    if (cues_.open_start_ns()) cues_.finish(end_ns_);
    if (writer_) writer_->finish(end_ns_);
    texts_->finish(cues_.cues());
}

// What keeps the result from being whole: said in the end, and exit code 3.
void FilmRun::judge(const elements::FilmReport& report) {
    const std::string until =
        clock_time(end_ns_) + ", " + std::to_string(progress_.frames) + " frames";
    if (progress_.frames == 0) {
        if (stop_)
            throw Error(job_.input + ": stopped before its first frame; nothing was written");
        throw Error(job_.input + ": no frames came" +
                    (missing_.empty() ? "" : "; the file is cut (" + missing_ + ")"));
    }
    if (stop_ && finite_) {
        incomplete("stopped at " + until +
                   (duration_ns_ > 0 ? " of " + clock_time(duration_ns_) : ""));
        return;
    }
    if (!report.broken_off.empty()) {
        incomplete(job_.input + ": reading broke off at " + until + ": " + report.broken_off);
    } else if (!missing_.empty()) {
        incomplete(job_.input + ": the file is cut (" + missing_ + "); processed up to " + until);
    } else if (promised_ns_ > 0 && report.read_until_ns + slack_ns_ < promised_ns_) {
        incomplete(job_.input + ": it promises " + clock_time(duration_ns_) + " but ends at " +
                   until);
    }
    if (report.undecodable > 0 && result_.incomplete.empty()) {
        incomplete(job_.input + ": damaged; " + std::to_string(report.undecodable) +
                   " pictures were left out");
    }
    if (burns()) {
        const TimeMatch match = writer_->match();
        if (match.frames != progress_.frames) {
            incomplete(job_.output + ": " + std::to_string(match.frames) + " of " +
                       std::to_string(progress_.frames) + " frames were encoded");
        }
        if (finite_ && report.repaired == 0 && !report.without_times &&
            match.matched != match.frames) {
            notice(std::to_string(match.frames - match.matched) + " of " +
                   std::to_string(match.frames) +
                   " frames have times that the source does not have");
        }
    }
}

}  // namespace seesay::pipeline
