// seesayfeatures: the element that hangs grid features of sampled frames on the video that passes
// through it.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>

#include "models/runtime/session.hpp"

namespace seesay::elements {

GType seesay_features_get_type();

/// Registers the element with `plugin`.
bool register_features(GstPlugin* plugin);

using EncoderOpener = std::function<std::shared_ptr<runtime::Encoder>(
    const std::string& package, const runtime::SessionOptions& options)>;

/// Replaces runtime::open_encoder in one element. For tests; before the element leaves READY.
void set_encoder_opener(GstElement* features, EncoderOpener opener);

}  // namespace seesay::elements
