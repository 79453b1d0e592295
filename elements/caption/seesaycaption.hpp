// seesaycaption: the element that puts FeatureSets into words: captions on buffers, updates in
// events, cues on text pads.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>

#include "models/runtime/session.hpp"

namespace seesay::elements {

GType seesay_caption_get_type();

/// Registers the element with `plugin`.
bool register_caption(GstPlugin* plugin);

using CaptionerOpener = std::function<std::shared_ptr<runtime::Captioner>(
    const std::string& package, const runtime::SessionOptions& options)>;

/// Replaces runtime::open_captioner in one element. For tests; before the element leaves READY.
void set_captioner_opener(GstElement* caption, CaptionerOpener opener);

}  // namespace seesay::elements
