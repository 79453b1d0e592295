// What the plugin file and the linked-in plugin have in common.
#pragma once

#include <gst/gst.h>

namespace seesay::elements {

inline constexpr const char* kPluginDescription =
    "Captions for live video: features, captions, overlay and events";

/// Registers the five elements with `plugin`.
bool register_elements(GstPlugin* plugin);

}  // namespace seesay::elements
