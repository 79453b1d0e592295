// See the header: GObject properties and queries that both inference elements answer alike.
#include "elements/inference/session_properties.hpp"

namespace seesay::elements {
namespace {

enum class Precision { Auto, Fp32, Bf16 };

constexpr auto kReadyOnly =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

GType mode_type() {
    static const GEnumValue values[] = {
        {static_cast<gint>(Mode::Auto), "'latest' if and only if upstream is live, else 'every'",
         "auto"},
        {static_cast<gint>(Mode::Every), "Each sampled frame waits for its own result", "every"},
        {static_cast<gint>(Mode::Latest), "Video never waits, the newest sampled frame wins",
         "latest"},
        {0, nullptr, nullptr}};
    static const GType type = enum_type("SeesayMode", values);
    return type;
}

GType precision_type() {
    static const GEnumValue values[] = {
        {static_cast<gint>(Precision::Auto), "bf16 where the machine and the package allow it",
         "auto"},
        {static_cast<gint>(Precision::Fp32), "32-bit floating point", "fp32"},
        {static_cast<gint>(Precision::Bf16), "bfloat16", "bf16"},
        {0, nullptr, nullptr}};
    static const GType type = enum_type("SeesayPrecision", values);
    return type;
}

Precision precision_of(const std::string& name) {
    if (name == "fp32") return Precision::Fp32;
    return name == "bf16" ? Precision::Bf16 : Precision::Auto;
}

std::string name_of(Precision precision) {
    if (precision == Precision::Fp32) return "fp32";
    return precision == Precision::Bf16 ? "bf16" : "auto";
}

std::string string_of(const GValue* value, const char* otherwise) {
    const gchar* text = g_value_get_string(value);
    return text == nullptr ? otherwise : text;
}

}  // namespace

GType enum_type(const char* name, const GEnumValue* values) {
    const GType existing = g_type_from_name(name);
    return existing != 0 ? existing : g_enum_register_static(name, values);
}

void install_session_properties(GObjectClass* object_class, const char* package_blurb) {
    const SessionSettings defaults;
    g_object_class_install_property(object_class, kPackage,
                                    g_param_spec_string("package", "Model package", package_blurb,
                                                        defaults.package.c_str(), kReadyOnly));
    g_object_class_install_property(
        object_class, kDevice,
        g_param_spec_string(
            "device", "Device",
            "Where the model runs: auto, cpu, cuda or cuda:N. With auto a CUDA device is used if "
            "there is one.",
            defaults.options.device.c_str(), kReadyOnly));
    g_object_class_install_property(
        object_class, kMode,
        g_param_spec_enum("mode", "Mode", "How sampled frames wait for their result.", mode_type(),
                          static_cast<gint>(Mode::Auto), kReadyOnly));
    g_object_class_install_property(
        object_class, kThreads,
        g_param_spec_int("threads", "Threads",
                         "CPU threads of the model. 0 takes one for each core. Small models are "
                         "fastest with one "
                         "beside video work.",
                         0, 1024, defaults.options.threads, kReadyOnly));
    g_object_class_install_property(
        object_class, kPrecision,
        g_param_spec_enum("precision", "Precision", "Number format that the model computes in.",
                          precision_type(), static_cast<gint>(Precision::Auto), kReadyOnly));
    gst_type_mark_as_plugin_api(mode_type(), static_cast<GstPluginAPIFlags>(0));
    gst_type_mark_as_plugin_api(precision_type(), static_cast<GstPluginAPIFlags>(0));
}

bool set_session_property(SessionSettings& settings, guint id, const GValue* value) {
    switch (id) {
        case kPackage:
            settings.package = string_of(value, "default");
            return true;
        case kDevice:
            settings.options.device = string_of(value, "auto");
            return true;
        case kMode:
            settings.mode = static_cast<Mode>(g_value_get_enum(value));
            return true;
        case kThreads:
            settings.options.threads = g_value_get_int(value);
            return true;
        case kPrecision:
            settings.options.precision = name_of(static_cast<Precision>(g_value_get_enum(value)));
            return true;
        default:
            return false;
    }
}

bool get_session_property(const SessionSettings& settings, guint id, GValue* value) {
    switch (id) {
        case kPackage:
            g_value_set_string(value, settings.package.c_str());
            return true;
        case kDevice:
            g_value_set_string(value, settings.options.device.c_str());
            return true;
        case kMode:
            g_value_set_enum(value, static_cast<gint>(settings.mode));
            return true;
        case kThreads:
            g_value_set_int(value, settings.options.threads);
            return true;
        case kPrecision:
            g_value_set_enum(value, static_cast<gint>(precision_of(settings.options.precision)));
            return true;
        default:
            return false;
    }
}

bool upstream_is_live(GstPad* sink_pad) {
    GstQuery* query = gst_query_new_latency();
    gboolean live = FALSE;
    if (gst_pad_peer_query(sink_pad, query)) {
        gst_query_parse_latency(query, &live, nullptr, nullptr);
    }
    gst_query_unref(query);
    return live != FALSE;
}

gboolean answer_latency(GstPad* sink_pad, GstQuery* query, std::int64_t own_ns) {
    if (!gst_pad_peer_query(sink_pad, query)) return FALSE;
    gboolean live = FALSE;
    GstClockTime minimum = 0;
    GstClockTime maximum = GST_CLOCK_TIME_NONE;
    gst_query_parse_latency(query, &live, &minimum, &maximum);
    if (live && own_ns > 0) {
        const auto own = static_cast<GstClockTime>(own_ns);
        gst_query_set_latency(query, live, minimum + own,
                              GST_CLOCK_TIME_IS_VALID(maximum) ? maximum + own : maximum);
    }
    return TRUE;
}

}  // namespace seesay::elements
