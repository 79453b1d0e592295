// seesayoverlay: the element that burns caption and attention into passing video.
#pragma once

#include <gst/gst.h>

namespace seesay::elements {

/// The element's type, whichever copy of this library in the process registered it first.
GType overlay_type();

/// Registers the element with `plugin`, or for this process only where that is null.
bool register_overlay(GstPlugin* plugin);

}  // namespace seesay::elements
