// CaptionStage: what seesaycaption does with a frame; the element around it only speaks GObject.
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "elements/caption/caption_keeper.hpp"
#include "elements/caption/caption_settings.hpp"
#include "elements/caption/cue_line.hpp"
#include "elements/caption/seesaycaption.hpp"
#include "elements/inference/frame_clock.hpp"
#include "elements/inference/inference_lane.hpp"
#include "elements/inference/latency_report.hpp"
#include "elements/meta/seesay_meta.hpp"

namespace seesay::elements {

/// `chain` and `sink_event` (but for flushes) belong to the streaming thread; the rest may come
/// from any.
class CaptionStage {
 public:
    CaptionStage(GstElement* element, GstPad* sink, GstPad* source);
    ~CaptionStage();

    /// Opens the session. Throws Error.
    void open();
    /// Wakes the streaming thread; it will not wait again until `open`.
    void stop();
    /// After the streaming thread has left.
    void close();

    GstFlowReturn chain(GstBuffer* buffer);
    gboolean sink_event(GstEvent* event);
    gboolean source_query(GstQuery* query);

    /// A new text pad joins; it begins with the stream as it stands.
    void add_text_pad(GstPad* pad);
    void remove_text_pad(GstPad* pad);

    std::mutex settings_mutex;
    CaptionSettings settings;  ///< under settings_mutex
    CaptionerOpener opener;

    std::atomic<std::uint64_t> captions{0};
    std::atomic<std::uint64_t> dropped_queue{0};

 private:
    struct Work {
        runtime::CaptionRequest request;
        FeatureNote note;
    };
    struct Outcome {
        runtime::CaptionResult result;
        FeatureNote note;
    };
    /// The frame that passes.
    struct Passing {
        FrameTime time;
        std::optional<std::int64_t>
            decided_ns;  ///< set once its caption was decided: until the next decision
    };

    void resolve_mode();
    FrameTime time_of(GstBuffer* buffer);
    bool handled(const vision::FeatureSet& features);
    void refuse_foreign(const vision::FeatureSet& features) const;
    Work work_for(std::shared_ptr<const vision::FeatureSet> features, const FeatureNote& note);
    /// Hands new features to the session; what is finished is decided on. Throws Error and
    /// Flushing.
    void caption(std::shared_ptr<const vision::FeatureSet> features, const FeatureNote& note,
                 Passing* passing);
    void decide(Outcome outcome, Passing* passing);
    void note_drop(const vision::FeatureSet& features);
    GstBuffer* describe(GstBuffer* buffer, Passing& passing);
    void advance_text(GstBuffer* buffer, const Passing& passing);
    bool late_features(const LateFeatures& late);
    void finish();
    void cut();
    void tell(const CaptionKeeper::Update& update);
    void report(const std::exception& error);
    void store_sticky(GstEvent* event);
    std::vector<GstPad*> text_pads();
    void to_text_pads(GstEvent* event);

    GstElement* element_;
    GstPad* sink_;
    GstPad* source_;
    std::shared_ptr<runtime::Captioner> captioner_;
    InferenceLane<Work, Outcome> lane_;
    CaptionKeeper keeper_;
    CueLine cues_;
    FrameClock clock_;
    LatencyReport latency_;
    GstSegment segment_{};
    std::int64_t nominal_ns_ = 0;
    std::int64_t position_end_ns_ = 0;  ///< stream time at which the last frame ends
    DroppedCounts upstream_dropped_;
    std::shared_ptr<const vision::FeatureSet> last_features_;
    bool mode_resolved_ = false;
    bool live_ = false;
    std::atomic<bool> waits_{false};  ///< resolved mode is `every`

    std::mutex text_mutex_;
    std::vector<GstPad*> text_pads_;  ///< under text_mutex_; a reference each
    GstEvent* stream_start_ =
        nullptr;  ///< under text_mutex_, as the two below: how a text pad begins
    GstEvent* segment_event_ = nullptr;
    std::string language_;
};

}  // namespace seesay::elements
