// SeesayFeatureMeta and SeesayCaptionMeta: what the elements hang on buffers; and the event that carries updates.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "elements/meta/caption_update.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::elements {

/// On the one buffer that a FeatureSet rides on. Survives copies and scaling (geometry is normalised).
struct FeatureMeta {
    GstMeta meta;
    std::shared_ptr<const vision::FeatureSet>* features;  ///< owned; never null on a buffer
};

/// On every buffer while a caption holds.
struct CaptionMeta {
    GstMeta meta;
    std::shared_ptr<const CaptionUpdate>* update;  ///< owned; never null on a buffer
};

GType feature_meta_api_get_type();
GType caption_meta_api_get_type();

/// Adds (or replaces) the meta; `buffer` must be writable as an object, its memory is not touched.
void set_features(GstBuffer* buffer, std::shared_ptr<const vision::FeatureSet> features);
void set_caption(GstBuffer* buffer, std::shared_ptr<const CaptionUpdate> update);
/// Null if the buffer carries none.
std::shared_ptr<const vision::FeatureSet> get_features(GstBuffer* buffer);
std::shared_ptr<const CaptionUpdate> get_caption(GstBuffer* buffer);

/// A serialized GST_EVENT_CUSTOM_DOWNSTREAM named "seesay-caption-update".
GstEvent* new_caption_update_event(std::shared_ptr<const CaptionUpdate> update);
/// Null if the event is another.
std::shared_ptr<const CaptionUpdate> parse_caption_update_event(GstEvent* event);

}  // namespace seesay::elements
