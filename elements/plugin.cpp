// The plugin file libgstseesay.so.
#include <gst/gst.h>

#include "elements/registration.hpp"

#define PACKAGE "seesay"

static gboolean plugin_init(GstPlugin* plugin) {
    return seesay::elements::register_elements(plugin);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, seesay,
                  seesay::elements::kPluginDescription, plugin_init, SEESAY_VERSION, "MIT/X11",
                  "seesay", "seesay")
