// The plugin, linked into a program: elements without a plugin file and without GST_PLUGIN_PATH.
#pragma once

namespace seesay::elements {

/// Makes the five elements known to this process; they take the place of those of an installed
/// plugin file. After gst_init; may be called again. Throws Error.
void register_seesay_elements();

}  // namespace seesay::elements
