// What seesayfeatures and seesaycaption have in common at their face: the properties that choose a
// session and the way to wait for it.
#pragma once

#include <gst/gst.h>

#include <string>

#include "models/runtime/session.hpp"

namespace seesay::elements {

/// How sampled frames wait for their result.
enum class Mode {
    Auto,    ///< `Latest` if and only if upstream is live
    Every,   ///< each waits for its own
    Latest,  ///< video never waits; the newest wins
};

/// Values of the shared properties.
struct SessionSettings {
    std::string package = "default";
    Mode mode = Mode::Auto;
    runtime::SessionOptions options;
};

/// Property ids of the shared properties; an element's own begin at `kFirstOwnProperty`.
enum SharedProperty : guint {
    kPackage = 1,
    kDevice,
    kMode,
    kThreads,
    kPrecision,
    kFirstOwnProperty
};

/// Installs `package`, `device`, `mode`, `threads` and `precision`. `package_blurb` says what the
/// element takes of a package.
void install_session_properties(GObjectClass* object_class, const char* package_blurb);
/// False if `id` is none of the shared ones.
bool set_session_property(SessionSettings& settings, guint id, const GValue* value);
bool get_session_property(const SessionSettings& settings, guint id, GValue* value);

/// Asks the peer of `sink_pad` with a LATENCY query.
bool upstream_is_live(GstPad* sink_pad);

/// Answers a LATENCY query at `src_pad`'s element: upstream's answer plus `own_ns` if upstream is
/// live.
gboolean answer_latency(GstPad* sink_pad, GstQuery* query, std::int64_t own_ns);

/// An enum GType made of `values` (static storage), shared with a second copy of the plugin in the
/// process.
GType enum_type(const char* name, const GEnumValue* values);

}  // namespace seesay::elements
