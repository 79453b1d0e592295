// SeesayFeatureMeta and SeesayCaptionMeta: what the elements hang on buffers; and the events that
// carry the same where there is no buffer to hang it on.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "elements/meta/caption_update.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::elements {

/// What the captioning element wants to know of a FeatureSet beside the vectors. Times are
/// nanoseconds, -1 unknown.
struct FeatureNote {
    DroppedCounts dropped;          ///< by the elements so far, since the start
    std::int64_t arrival_ns = -1;   ///< of the described frame, on std::chrono::steady_clock
    std::int64_t duration_ns = -1;  ///< of the described frame
    std::int64_t interval_ns = -1;  ///< the caption interval; 0: every frame
    std::int64_t next_due_ns = -1;  ///< stream time before which no other frame is sampled
};

/// On the one buffer that a FeatureSet rides on. Survives copies, conversion and scaling (geometry
/// is normalised).
struct FeatureMeta {
    GstMeta meta;
    std::shared_ptr<const vision::FeatureSet>* features;  ///< owned; never null on a buffer
    FeatureNote note;
};

/// On every buffer while a caption holds.
struct CaptionMeta {
    GstMeta meta;
    std::shared_ptr<const CaptionUpdate>* update;  ///< owned; never null on a buffer
};

GType feature_meta_api_get_type();
GType caption_meta_api_get_type();

/// Adds (or replaces) the meta; `buffer` must be writable as an object (else nothing happens but a
/// critical warning), its memory is not touched.
void set_features(GstBuffer* buffer, std::shared_ptr<const vision::FeatureSet> features,
                  const FeatureNote& note = {});
void set_caption(GstBuffer* buffer, std::shared_ptr<const CaptionUpdate> update);
/// Null if the buffer carries none.
std::shared_ptr<const vision::FeatureSet> get_features(GstBuffer* buffer);
/// All unknown if the buffer carries no FeatureSet.
FeatureNote get_feature_note(GstBuffer* buffer);
std::shared_ptr<const CaptionUpdate> get_caption(GstBuffer* buffer);

/// A serialized GST_EVENT_CUSTOM_DOWNSTREAM named "seesay-caption-update".
GstEvent* new_caption_update_event(std::shared_ptr<const CaptionUpdate> update);
/// Null if the event is another.
std::shared_ptr<const CaptionUpdate> parse_caption_update_event(GstEvent* event);

/// A FeatureSet that no buffer followed: what was still being computed when the stream ended.
struct LateFeatures {
    std::shared_ptr<const vision::FeatureSet> features;
    FeatureNote note;
};

/// A serialized GST_EVENT_CUSTOM_DOWNSTREAM named "seesay-features".
GstEvent* new_features_event(LateFeatures late);
/// `features` is null if the event is another.
LateFeatures parse_features_event(GstEvent* event);

}  // namespace seesay::elements
