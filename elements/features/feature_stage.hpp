// FeatureStage: what seesayfeatures does with a frame; the element around it only speaks GObject.
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "elements/features/late_gate.hpp"
#include "elements/features/sampler.hpp"
#include "elements/features/seesayfeatures.hpp"
#include "elements/inference/frame_clock.hpp"
#include "elements/inference/inference_lane.hpp"
#include "elements/inference/latency_report.hpp"
#include "elements/inference/session_properties.hpp"
#include "elements/meta/seesay_meta.hpp"

namespace seesay::elements {

/// `chain`, `sink_event` (but for flushes) belong to the streaming thread; the rest may come from
/// any.
class FeatureStage {
 public:
    FeatureStage(GstElement* element, GstPad* sink, GstPad* source);

    /// Opens the session. Throws Error.
    void open();
    /// Wakes the streaming thread; it will not wait again until `open`.
    void stop();
    /// After the streaming thread has left.
    void close();

    GstFlowReturn chain(GstBuffer* buffer);
    gboolean sink_event(GstEvent* event);
    gboolean source_event(GstEvent* event);
    gboolean source_query(GstQuery* query);

    void set_interval(double seconds);
    [[nodiscard]] double interval() const;

    std::mutex settings_mutex;
    SessionSettings settings;  ///< under settings_mutex
    EncoderOpener opener;

    std::atomic<std::uint64_t> frames{0};
    std::atomic<std::uint64_t> sampled{0};
    std::atomic<std::uint64_t> dropped_late{0};
    std::atomic<std::uint64_t> dropped_queue{0};

 private:
    struct Work {
        runtime::EncodeRequest request;
        FeatureNote note;
    };
    struct Outcome {
        runtime::EncodeResult result;
        FeatureNote note;
    };

    /// When a frame came in.
    struct Arrival {
        std::int64_t steady_ns = 0;
        std::int64_t wall_clock_us = 0;
    };

    void resolve_mode();
    std::optional<FrameTime> time_of(GstBuffer* buffer);
    GstBuffer* describe(GstBuffer* buffer, const Arrival& arrival);
    Work work_for(GstBuffer* buffer, const FrameTime& time, const Arrival& arrival);
    std::optional<Outcome> wait_for(Work work);
    LateFeatures described(Outcome outcome);
    std::int64_t running_time_of(GstBuffer* buffer) const;
    void note_drop(GstBuffer* buffer, std::atomic<std::uint64_t>& counter);
    void finish();
    void begin_sequence();

    GstElement* element_;
    GstPad* sink_;
    GstPad* source_;
    std::shared_ptr<runtime::Encoder> encoder_;
    InferenceLane<Work, Outcome> lane_;
    FrameClock clock_;
    Sampler sampler_;
    LateGate late_gate_;
    LatencyReport latency_;
    GstSegment segment_{};
    GstVideoInfo info_{};
    bool negotiated_ = false;
    bool mode_resolved_ = false;
    bool live_ = false;
    std::uint64_t last_id_ = 0;
    std::atomic<bool> waits_{false};  ///< resolved mode is `every`
    std::atomic<std::int64_t> interval_ns_{1'000'000'000};
};

}  // namespace seesay::elements
