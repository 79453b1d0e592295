// The captioning elements of a job as one bin: features, captions, overlay, events.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>

#include "pipeline/caption_job.hpp"

namespace seesay::pipeline {

/// A bin (floating) with pads `sink` and `src`. `on_event` gets each caption event as a JSON line,
/// on a streaming thread; empty: nobody listens. Throws Error where an element is missing.
GstElement* new_caption_elements(const CaptionJob& job, const std::string& stream,
                                 std::function<void(const std::string&)> on_event);

}  // namespace seesay::pipeline
