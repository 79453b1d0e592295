// See the header: sampling, encoding and attaching; events and queries that bear on them.
#include "elements/features/feature_stage.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include "elements/features/frame_view_map.hpp"
#include "models/error.hpp"

GST_DEBUG_CATEGORY_STATIC(seesay_features_debug);
#define GST_CAT_DEFAULT seesay_features_debug

namespace seesay::elements {
FeatureStage::FeatureStage(GstElement* element, GstPad* sink, GstPad* source)
    : opener(&runtime::open_encoder), element_(element), sink_(sink), source_(source) {
    static std::once_flag once;
    std::call_once(once, [] {
        GST_DEBUG_CATEGORY_INIT(seesay_features_debug, "seesayfeatures", 0,
                                "grid features of video frames");
    });
    gst_segment_init(&segment_, GST_FORMAT_TIME);
}

void FeatureStage::open() {
    SessionSettings chosen;
    {
        const std::lock_guard lock(settings_mutex);
        chosen = settings;
    }
    encoder_ = opener(chosen.package, chosen.options);
    GST_INFO_OBJECT(element_, "encoder %s (%s)", encoder_->name().c_str(),
                    encoder_->sha256().c_str());
    frames = sampled = dropped_late = dropped_queue = 0;
    last_id_ = 0;
    negotiated_ = false;
    mode_resolved_ = false;
    latency_.reset();
    gst_segment_init(&segment_, GST_FORMAT_TIME);
    begin_sequence();
    lane_.start([encoder = encoder_](Work work, auto done) {
        encoder->submit(std::move(work.request),
                        [done = std::move(done), note = work.note](runtime::EncodeResult result) {
                            done(Outcome{std::move(result), note});
                        });
    });
}

void FeatureStage::stop() {
    lane_.stop();
}

void FeatureStage::close() {
    encoder_.reset();
}

void FeatureStage::set_interval(double seconds) {
    interval_ns_ = std::llround(seconds * 1e9);
}

double FeatureStage::interval() const {
    return static_cast<double>(interval_ns_.load()) / 1e9;
}

/// What the last sequence of frames left behind is of no use to the next.
void FeatureStage::begin_sequence() {
    clock_.reset();
    sampler_.reset();
    late_gate_.reset();
}

void FeatureStage::resolve_mode() {
    if (mode_resolved_) return;
    Mode mode = Mode::Auto;
    {
        const std::lock_guard lock(settings_mutex);
        mode = settings.mode;
    }
    live_ = upstream_is_live(sink_);
    waits_ = mode == Mode::Every || (mode == Mode::Auto && !live_);
    mode_resolved_ = true;
    GST_INFO_OBJECT(element_, "upstream is %s: mode %s", live_ ? "live" : "not live",
                    waits_ ? "every" : "latest");
}

/// Empty for frames that nobody will see.
std::optional<FrameTime> FeatureStage::time_of(GstBuffer* buffer) {
    std::optional<std::int64_t> pts;
    std::optional<std::int64_t> duration;
    const bool backwards = segment_.rate < 0.0;
    if (segment_.format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID(buffer)) {
        const guint64 stream_time =
            gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        if (!GST_CLOCK_TIME_IS_VALID(stream_time)) return std::nullopt;  // outside the segment
        pts = static_cast<std::int64_t>(stream_time) * (backwards ? -1 : 1);
    }
    if (GST_BUFFER_DURATION_IS_VALID(buffer))
        duration = static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer));
    return clock_.observe(pts, duration, nominal_duration_ns(info_));
}

FeatureStage::Work FeatureStage::work_for(GstBuffer* buffer, const FrameTime& time,
                                          const Arrival& arrival) {
    Work work;
    {
        const MappedFrame mapped(info_, buffer);
        auto prepared = vision::preprocess(mapped.view(), encoder_->preprocessing());
        work.request.input = std::move(prepared.image);
        work.request.geometry.picture_box = prepared.picture_box;
        work.request.frame.width = mapped.view().width;
        work.request.frame.height = mapped.view().height;
    }
    const std::int64_t stream_time = segment_.rate < 0.0 ? -time.pts_ns : time.pts_ns;
    auto& frame = work.request.frame;
    frame.id = ++last_id_;
    frame.pts_ns = stream_time;
    frame.wall_clock_us = arrival.wall_clock_us;
    if (segment_.format == GST_FORMAT_TIME && stream_time >= 0) {
        const guint64 position = gst_segment_position_from_stream_time(
            &segment_, GST_FORMAT_TIME, static_cast<guint64>(stream_time));
        const guint64 running = gst_segment_to_running_time(&segment_, GST_FORMAT_TIME, position);
        frame.running_time_ns =
            GST_CLOCK_TIME_IS_VALID(running) ? static_cast<std::int64_t>(running) : -1;
    }
    work.request.alone = waits_;
    work.note.arrival_ns = arrival.steady_ns;
    work.note.duration_ns = time.duration_ns > 0 ? time.duration_ns : -1;
    work.note.interval_ns = interval_ns_;
    if (const auto next = sampler_.next_due_ns(); next && segment_.rate >= 0.0) {
        work.note.next_due_ns = *next - (time.media_ns - time.pts_ns);
    }
    return work;
}

std::optional<FeatureStage::Outcome> FeatureStage::wait_for(Work work) {
    const std::int64_t begin_ns = steady_now_ns();
    auto outcome = lane_.run(std::move(work));
    if (!outcome) throw Flushing();
    if (live_ && latency_.observe(steady_now_ns() - begin_ns)) {
        gst_element_post_message(element_, gst_message_new_latency(GST_OBJECT(element_)));
    }
    return outcome;
}

LateFeatures FeatureStage::described(Outcome outcome) {
    if (outcome.result.error) std::rethrow_exception(outcome.result.error);
    outcome.note.dropped = {dropped_late, dropped_queue};
    return {std::move(outcome.result.features), outcome.note};
}

/// -1 where the buffer has none.
std::int64_t FeatureStage::running_time_of(GstBuffer* buffer) const {
    if (segment_.format != GST_FORMAT_TIME) return -1;
    return static_cast<std::int64_t>(
        gst_segment_to_running_time(&segment_, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer)));
}

void FeatureStage::note_drop(GstBuffer* buffer, std::atomic<std::uint64_t>& counter) {
    ++counter;
    guint64 stream_time = GST_CLOCK_TIME_NONE;
    if (segment_.format == GST_FORMAT_TIME) {
        stream_time =
            gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    }
    GstMessage* message = gst_message_new_qos(
        GST_OBJECT(element_), live_, static_cast<guint64>(running_time_of(buffer)), stream_time,
        GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer));
    gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, sampled, dropped_late + dropped_queue);
    gst_element_post_message(element_, message);
}

/// The buffer, with the features that are ready. Throws Error and Flushing; the buffer is then
/// still the caller's.
GstBuffer* FeatureStage::describe(GstBuffer* buffer, const Arrival& arrival) {
    std::optional<Outcome> ready;
    if (!waits_) ready = lane_.poll();
    const auto flags = static_cast<guint>(GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_DECODE_ONLY);
    const auto time = time_of(buffer);
    const bool clean = (GST_BUFFER_FLAGS(buffer) & flags) == 0;
    if (time && clean && sampler_.due(time->media_ns, interval_ns_)) {
        if (!waits_ && late_gate_.skip(running_time_of(buffer))) {
            note_drop(buffer, dropped_late);
        } else {
            Work work = work_for(buffer, *time, arrival);
            ++sampled;
            if (waits_) {
                ready = wait_for(std::move(work));
            } else if (lane_.offer(std::move(work)) > 0) {
                note_drop(buffer, dropped_queue);
            }
        }
    }
    if (!ready) return buffer;
    LateFeatures features = described(std::move(*ready));
    buffer = gst_buffer_make_writable(buffer);
    set_features(buffer, std::move(features.features), features.note);
    return buffer;
}

GstFlowReturn FeatureStage::chain(GstBuffer* buffer) {
    const Arrival arrival{steady_now_ns(), g_get_real_time()};
    ++frames;
    if (!negotiated_) {
        gst_buffer_unref(buffer);
        return GST_FLOW_NOT_NEGOTIATED;
    }
    resolve_mode();
    try {
        buffer = describe(buffer, arrival);
    } catch (const Flushing&) {
        gst_buffer_unref(buffer);
        return GST_FLOW_FLUSHING;
    } catch (const std::exception& error) {
        gst_buffer_unref(buffer);
        GST_ELEMENT_ERROR(element_, STREAM, FAILED, ("%s", error.what()),
                          ("frame %" G_GUINT64_FORMAT, frames.load()));
        return GST_FLOW_ERROR;
    }
    return gst_pad_push(source_, buffer);
}

/// End of stream in mode `latest`: what is still being computed follows in events, as no buffer
/// does.
void FeatureStage::finish() {
    if (waits_ || !mode_resolved_) return;
    const auto deadline = drain_deadline(live_);
    try {
        while (auto outcome = lane_.wait_until(deadline)) {
            gst_pad_push_event(source_, new_features_event(described(std::move(*outcome))));
        }
    } catch (const std::exception& error) {
        GST_ELEMENT_ERROR(element_, STREAM, FAILED, ("%s", error.what()),
                          ("at the end of the stream"));
    }
    dropped_queue += lane_.pending();
}

gboolean FeatureStage::sink_event(GstEvent* event) {
    switch (GST_EVENT_TYPE(event)) {
        case GST_EVENT_FLUSH_START:
            lane_.flush_start();
            break;
        case GST_EVENT_FLUSH_STOP:
            lane_.flush_stop();
            begin_sequence();
            gst_segment_init(&segment_, GST_FORMAT_TIME);
            break;
        case GST_EVENT_STREAM_START:
            if (mode_resolved_) {  // a second stream: no description may cross over
                lane_.flush_stop();
                begin_sequence();
            }
            mode_resolved_ = false;
            break;
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment_);
            break;
        case GST_EVENT_CAPS: {
            GstCaps* caps = nullptr;
            gst_event_parse_caps(event, &caps);
            negotiated_ = gst_video_info_from_caps(&info_, caps) &&
                          pixel_format(GST_VIDEO_INFO_FORMAT(&info_));
            if (!negotiated_) {
                GST_WARNING_OBJECT(element_, "refused caps %" GST_PTR_FORMAT, caps);
                gst_event_unref(event);
                return FALSE;
            }
            break;
        }
        case GST_EVENT_EOS:
            finish();
            break;
        default:
            break;
    }
    return gst_pad_event_default(sink_, GST_OBJECT(element_), event);
}

gboolean FeatureStage::source_event(GstEvent* event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) {
        GstClockTimeDiff difference = 0;
        GstClockTime timestamp = GST_CLOCK_TIME_NONE;
        gst_event_parse_qos(event, nullptr, nullptr, &difference, &timestamp);
        if (GST_CLOCK_TIME_IS_VALID(timestamp))
            late_gate_.report(static_cast<std::int64_t>(timestamp), difference);
    }
    return gst_pad_event_default(source_, GST_OBJECT(element_), event);
}

gboolean FeatureStage::source_query(GstQuery* query) {
    if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) {
        return answer_latency(sink_, query, waits_ ? latency_.reported_ns() : 0);
    }
    return gst_pad_query_default(source_, GST_OBJECT(element_), query);
}

}  // namespace seesay::elements
