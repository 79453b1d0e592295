// See the header.
#include "elements/static_plugin.hpp"

#include <mutex>

#include "elements/registration.hpp"
#include "models/error.hpp"

namespace seesay::elements {

void register_seesay_elements() {
    static std::once_flag once;
    std::call_once(once, [] {
        const gboolean registered = gst_plugin_register_static(
            GST_VERSION_MAJOR, GST_VERSION_MINOR, "seesay", kPluginDescription,
            [](GstPlugin* plugin) -> gboolean { return register_elements(plugin); }, SEESAY_VERSION,
            "MIT/X11", "seesay", "seesay", "seesay");
        if (!registered)
            throw Error(
                "the seesay elements cannot be registered with GStreamer: was gst_init called?");
    });
}

}  // namespace seesay::elements
