// See the header: captioning, keeping, telling; events and queries that bear on them.
#include "elements/caption/caption_stage.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "elements/caption/text_output.hpp"
#include "models/error.hpp"

GST_DEBUG_CATEGORY(seesay_caption_debug);
#define GST_CAT_DEFAULT seesay_caption_debug

namespace seesay::elements {
namespace {

/// How long a frame is taken to be shown where nothing tells.
constexpr std::int64_t kAssumedDurationNs = 40'000'000;

std::int64_t shown_for(std::int64_t duration_ns, std::int64_t interval_ns) {
    if (duration_ns > 0) return duration_ns;
    return interval_ns > 0 ? interval_ns : kAssumedDurationNs;
}

}  // namespace

CaptionStage::CaptionStage(GstElement* element, GstPad* sink, GstPad* source)
    : opener(&runtime::open_captioner), element_(element), sink_(sink), source_(source) {
    static std::once_flag once;
    std::call_once(once, [] {
        GST_DEBUG_CATEGORY_INIT(seesay_caption_debug, "seesaycaption", 0,
                                "captions of video frames");
    });
    gst_segment_init(&segment_, GST_FORMAT_TIME);
}

CaptionStage::~CaptionStage() {
    gst_event_replace(&stream_start_, nullptr);
    gst_event_replace(&segment_event_, nullptr);
    for (GstPad* pad : text_pads_)
        gst_object_unref(pad);
}

void CaptionStage::open() {
    CaptionSettings chosen;
    {
        const std::lock_guard lock(settings_mutex);
        chosen = settings;
    }
    captioner_ = opener(chosen.session.package, chosen.session.options);
    resolve(chosen, captioner_->decoding_defaults());
    GST_INFO_OBJECT(element_, "captioner %s (%s)", captioner_->name().c_str(),
                    captioner_->sha256().c_str());
    captions = dropped_queue = 0;
    upstream_dropped_ = {};
    nominal_ns_ = 0;
    position_end_ns_ = 0;
    mode_resolved_ = false;
    keeper_.reset();
    cues_.reset();
    clock_.reset();
    latency_.reset();
    gst_segment_init(&segment_, GST_FORMAT_TIME);
    {
        const std::lock_guard lock(text_mutex_);
        language_ = captioner_->language();
        gst_event_replace(&stream_start_, nullptr);
        gst_event_replace(&segment_event_, nullptr);
    }
    lane_.start([captioner = captioner_](Work work, auto done) {
        captioner->submit(std::move(work.request), [done = std::move(done), note = work.note](
                                                       runtime::CaptionResult result) {
            done(Outcome{std::move(result), note});
        });
    });
}

void CaptionStage::stop() {
    lane_.stop();
}

void CaptionStage::close() {
    captioner_.reset();
    last_features_.reset();
    keeper_.reset();
}

void CaptionStage::resolve_mode() {
    if (mode_resolved_) return;
    Mode mode = Mode::Auto;
    {
        const std::lock_guard lock(settings_mutex);
        mode = settings.session.mode;
    }
    live_ = upstream_is_live(sink_);
    waits_ = mode == Mode::Every || (mode == Mode::Auto && !live_);
    mode_resolved_ = true;
    GST_INFO_OBJECT(element_, "upstream is %s: mode %s", live_ ? "live" : "not live",
                    waits_ ? "every" : "latest");
}

FrameTime CaptionStage::time_of(GstBuffer* buffer) {
    std::optional<std::int64_t> pts;
    std::optional<std::int64_t> duration;
    if (segment_.format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID(buffer)) {
        const guint64 time =
            gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        if (GST_CLOCK_TIME_IS_VALID(time)) pts = static_cast<std::int64_t>(time);
    }
    if (GST_BUFFER_DURATION_IS_VALID(buffer))
        duration = static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer));
    return clock_.observe(pts, duration, nominal_ns_);
}

/// A FeatureSet may ride on more than one buffer (a frame that was duplicated): each is captioned
/// once.
bool CaptionStage::handled(const vision::FeatureSet& features) {
    return last_features_ &&
           (last_features_.get() == &features ||
            (features.frame.id != 0 && features.frame.id == last_features_->frame.id));
}

void CaptionStage::refuse_foreign(const vision::FeatureSet& features) const {
    if (features.encoder_sha256 == captioner_->encoder_sha256()) return;
    throw Error("captioner " + captioner_->name() + " reads features of encoder " +
                captioner_->encoder_name() + " (" + captioner_->encoder_sha256().substr(0, 12) +
                "), but the frames carry those of " + features.encoder_name + " (" +
                features.encoder_sha256.substr(0, 12) + "): give both elements the same package");
}

CaptionStage::Work CaptionStage::work_for(std::shared_ptr<const vision::FeatureSet> features,
                                          const FeatureNote& note) {
    Work work;
    work.note = note;
    work.request.features = std::move(features);
    work.request.alone = waits_;
    const std::lock_guard lock(settings_mutex);
    work.request.decoding = resolve(settings, captioner_->decoding_defaults());
    if (keeper_.current() && settings.keep_margin > 0.0)
        work.request.previous = keeper_.current()->caption;
    return work;
}

void CaptionStage::decide(Outcome outcome, Passing* passing) {
    if (outcome.result.error) std::rethrow_exception(outcome.result.error);
    CaptionFinding finding;
    finding.caption = std::move(outcome.result.caption);
    finding.previous = std::move(outcome.result.previous);
    finding.duration_ns = shown_for(outcome.note.duration_ns, outcome.note.interval_ns);
    if (outcome.note.arrival_ns >= 0)
        finding.latency_total_ns = steady_now_ns() - outcome.note.arrival_ns;
    finding.dropped = {upstream_dropped_.late, upstream_dropped_.queue + dropped_queue};
    finding.interval_ns = outcome.note.interval_ns;
    double margin = 0.0;
    {
        const std::lock_guard lock(settings_mutex);
        margin = settings.keep_margin;
    }
    ++captions;
    GST_DEBUG_OBJECT(element_, "frame %" G_GUINT64_FORMAT ": '%s' %.3f, held text %.3f",
                     finding.caption->frame.id, finding.caption->text.c_str(),
                     finding.caption->score, finding.previous ? finding.previous->score : 0.0);
    for (const auto& update : keeper_.decide(finding, margin))
        tell(update);
    if (passing != nullptr) {
        const std::int64_t ahead_ns = outcome.note.next_due_ns - passing->time.pts_ns;
        const bool knows = outcome.note.next_due_ns >= 0 && ahead_ns > 0;
        passing->decided_ns = std::max({knows ? ahead_ns : outcome.note.interval_ns,
                                        passing->time.duration_ns, std::int64_t{0}});
    }
}

void CaptionStage::note_drop(const vision::FeatureSet& features) {
    ++dropped_queue;
    const auto time = [](std::int64_t ns) {
        return ns < 0 ? GST_CLOCK_TIME_NONE : static_cast<guint64>(ns);
    };
    GstMessage* message =
        gst_message_new_qos(GST_OBJECT(element_), live_, time(features.frame.running_time_ns),
                            time(features.frame.pts_ns), GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
    gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, captions, dropped_queue);
    gst_element_post_message(element_, message);
}

void CaptionStage::caption(std::shared_ptr<const vision::FeatureSet> features,
                           const FeatureNote& note, Passing* passing) {
    refuse_foreign(*features);
    last_features_ = features;
    upstream_dropped_ = {std::max(upstream_dropped_.late, note.dropped.late),
                         std::max(upstream_dropped_.queue, note.dropped.queue)};
    Work work = work_for(features, note);
    if (!waits_) {
        if (lane_.offer(std::move(work)) > 0) note_drop(*features);
        return;
    }
    const std::int64_t begin_ns = steady_now_ns();
    auto outcome = lane_.run(std::move(work));
    if (!outcome) throw Flushing();
    if (live_ && latency_.observe(steady_now_ns() - begin_ns)) {
        gst_element_post_message(element_, gst_message_new_latency(GST_OBJECT(element_)));
    }
    decide(std::move(*outcome), passing);
}

/// The buffer, with the caption that holds. Throws Error and Flushing; the buffer is then still the
/// caller's.
GstBuffer* CaptionStage::describe(GstBuffer* buffer, Passing& passing) {
    if (!waits_) {
        if (auto outcome = lane_.poll()) decide(std::move(*outcome), &passing);
    }
    auto features = get_features(buffer);
    if (features && !handled(*features))
        caption(std::move(features), get_feature_note(buffer), &passing);
    if (keeper_.current()) {
        buffer = gst_buffer_make_writable(buffer);
        set_caption(buffer, keeper_.current());
    }
    return buffer;
}

GstFlowReturn CaptionStage::chain(GstBuffer* buffer) {
    resolve_mode();
    Passing passing{time_of(buffer), std::nullopt};
    try {
        buffer = describe(buffer, passing);
    } catch (const Flushing&) {
        gst_buffer_unref(buffer);
        return GST_FLOW_FLUSHING;
    } catch (const std::exception& error) {
        gst_buffer_unref(buffer);
        report(error);
        return GST_FLOW_ERROR;
    }
    position_end_ns_ = passing.time.pts_ns + shown_for(passing.time.duration_ns, 0);
    advance_text(buffer, passing);
    return gst_pad_push(source_, buffer);
}

void CaptionStage::report(const std::exception& error) {
    GST_ELEMENT_ERROR(element_, STREAM, FAILED, ("%s", error.what()), ("captioning"));
}

void CaptionStage::tell(const CaptionKeeper::Update& update) {
    if (update) gst_pad_push_event(source_, new_caption_update_event(update));
}

void CaptionStage::advance_text(GstBuffer* buffer, const Passing& passing) {
    const auto pads = text_pads();
    if (pads.empty() || segment_.format != GST_FORMAT_TIME) return;
    guint64 start = GST_BUFFER_PTS(buffer);
    if (!GST_CLOCK_TIME_IS_VALID(start)) {
        start = gst_segment_position_from_stream_time(&segment_, GST_FORMAT_TIME,
                                                      static_cast<guint64>(passing.time.pts_ns));
    }
    if (GST_CLOCK_TIME_IS_VALID(start)) {
        const std::string text =
            keeper_.current() ? keeper_.current()->caption->text : std::string();
        for (const Cue& cue : cues_.advance(static_cast<std::int64_t>(start),
                                            passing.time.duration_ns, text, passing.decided_ns)) {
            for (GstPad* pad : pads)
                TextOutput::of(pad).push_cue(cue);
        }
    }
    for (GstPad* pad : pads)
        gst_object_unref(pad);
}

/// What was captioned too late to ride on a buffer. False if a flush came.
bool CaptionStage::late_features(const LateFeatures& late) {
    if (handled(*late.features)) return true;
    resolve_mode();
    try {
        if (auto outcome = waits_ ? std::nullopt : lane_.poll())
            decide(std::move(*outcome), nullptr);
        caption(late.features, late.note, nullptr);
    } catch (const Flushing&) {
        return false;
    } catch (const std::exception& error) {
        report(error);
        return false;
    }
    return true;
}

/// End of stream: what is still being computed is told before the final update.
void CaptionStage::finish() {
    if (!waits_ && mode_resolved_) {
        const auto deadline = drain_deadline(live_);
        try {
            while (auto outcome = lane_.wait_until(deadline))
                decide(std::move(*outcome), nullptr);
        } catch (const std::exception& error) {
            report(error);
        }
        dropped_queue += lane_.pending();
    }
    cut();
}

/// The segment that holds ends where the last frame ended.
void CaptionStage::cut() {
    tell(keeper_.finish(position_end_ns_));
}

gboolean CaptionStage::sink_event(GstEvent* event) {
    switch (GST_EVENT_TYPE(event)) {
        case GST_EVENT_FLUSH_START:
            lane_.flush_start();
            to_text_pads(event);
            break;
        case GST_EVENT_FLUSH_STOP: {
            lane_.flush_stop();
            clock_.reset();
            cues_.reset();
            gst_segment_init(&segment_, GST_FORMAT_TIME);
            to_text_pads(event);
            const gboolean forwarded = gst_pad_push_event(source_, event);
            cut();
            return forwarded;
        }
        case GST_EVENT_STREAM_START:
            if (mode_resolved_) {  // a second stream: nothing said of the first holds for it
                lane_.flush_stop();
                clock_.reset();
                last_features_.reset();
                cut();
            }
            mode_resolved_ = false;
            store_sticky(event);
            break;
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment_);
            cues_.reset();
            store_sticky(event);
            break;
        case GST_EVENT_CAPS: {
            GstCaps* caps = nullptr;
            gst_event_parse_caps(event, &caps);
            gint numerator = 0;
            gint denominator = 1;
            gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &numerator,
                                       &denominator);
            nominal_ns_ = numerator > 0 ? static_cast<std::int64_t>(gst_util_uint64_scale_int(
                                              GST_SECOND, denominator, numerator))
                                        : 0;
            break;
        }
        case GST_EVENT_EOS:
            finish();
            to_text_pads(event);
            break;
        case GST_EVENT_CUSTOM_DOWNSTREAM:
            if (const LateFeatures late = parse_features_event(event); late.features) {
                gst_event_unref(event);
                return late_features(late);
            }
            break;
        default:
            break;
    }
    return gst_pad_push_event(source_, event);
}

gboolean CaptionStage::source_query(GstQuery* query) {
    if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) {
        return answer_latency(sink_, query, waits_ ? latency_.reported_ns() : 0);
    }
    return gst_pad_query_default(source_, GST_OBJECT(element_), query);
}

std::vector<GstPad*> CaptionStage::text_pads() {
    const std::lock_guard lock(text_mutex_);
    for (GstPad* pad : text_pads_)
        gst_object_ref(pad);
    return text_pads_;
}

void CaptionStage::to_text_pads(GstEvent* event) {
    const bool flush = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START ||
                       GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP;
    for (GstPad* pad : text_pads()) {
        TextOutput& output = TextOutput::of(pad);
        flush ? output.flush(gst_event_ref(event)) : output.push_event(gst_event_ref(event));
        gst_object_unref(pad);
    }
}

/// Remembers how a text pad that comes later must begin, and tells those that are there.
void CaptionStage::store_sticky(GstEvent* event) {
    const std::lock_guard lock(text_mutex_);
    const bool start = GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START;
    gst_event_replace(start ? &stream_start_ : &segment_event_, event);
    if (start) gst_event_replace(&segment_event_, nullptr);
    for (GstPad* pad : text_pads_) {
        if (start) {
            TextOutput::of(pad).start_stream(event, language_);
        } else {
            TextOutput::of(pad).push_event(gst_event_ref(event));
        }
    }
}

void CaptionStage::add_text_pad(GstPad* pad) {
    const std::lock_guard lock(text_mutex_);
    text_pads_.push_back(GST_PAD(gst_object_ref(pad)));
    if (stream_start_ != nullptr) TextOutput::of(pad).start_stream(stream_start_, language_);
    if (segment_event_ != nullptr) TextOutput::of(pad).push_event(gst_event_ref(segment_event_));
}

void CaptionStage::remove_text_pad(GstPad* pad) {
    const std::lock_guard lock(text_mutex_);
    const auto found = std::find(text_pads_.begin(), text_pads_.end(), pad);
    if (found == text_pads_.end()) return;
    text_pads_.erase(found);
    gst_object_unref(pad);
}

}  // namespace seesay::elements
