// seesaypublish: the element that turns caption updates into events and publishes them; video
// passes untouched.
#pragma once

#include <gst/gst.h>

namespace seesay::elements {

GType seesay_publish_get_type();

/// Registers the element with `plugin`.
bool register_publish(GstPlugin* plugin);

}  // namespace seesay::elements
