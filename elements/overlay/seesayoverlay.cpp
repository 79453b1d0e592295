// The GObject face of OverlayStage: class, properties, pads, states.
#include "elements/overlay/seesayoverlay.hpp"

#include <exception>
#include <mutex>

#include "elements/features/frame_view_map.hpp"
#include "elements/overlay/overlay_stage.hpp"

GST_DEBUG_CATEGORY(seesay_overlay_debug);

namespace seesay::overlay {
namespace {

enum Property : guint {
    kShowText = 1,
    kAttention,
    kAttentionColours,
    kAttentionOpacity,
    kWordDuration,
    kFont,
    kTextHeight,
    kMaxLines,
    kPosition,
    kBoxOpacity,
};

constexpr auto kChangeable = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                      GST_PARAM_MUTABLE_PLAYING);
constexpr std::int64_t kMillisecond = 1'000'000;

struct SeesayOverlay {
    GstElement parent;
    OverlayStage* stage;
};

struct SeesayOverlayClass {
    GstElementClass parent_class;
};

GType attention_type() {
    static const GEnumValue values[] = {
        {static_cast<int>(AttentionDisplay::None), "No attention is drawn", "none"},
        {static_cast<int>(AttentionDisplay::Words),
         "The map of the current word, which is picked out", "words"},
        {static_cast<int>(AttentionDisplay::Mean), "The mean map over all words", "mean"},
        {0, nullptr, nullptr}};
    static const GType type = g_enum_register_static("SeesayOverlayAttention", values);
    return type;
}

GType colours_type() {
    static const GEnumValue values[] = {
        {static_cast<int>(Colours::Heat), "Violet over orange to light yellow, the rest as it is",
         "heat"},
        {static_cast<int>(Colours::Spotlight), "Attended places bright, the rest darkened",
         "spotlight"},
        {0, nullptr, nullptr}};
    static const GType type = g_enum_register_static("SeesayOverlayColours", values);
    return type;
}

GType position_type() {
    static const GEnumValue values[] = {
        {static_cast<int>(TextPosition::Bottom), "At the bottom", "bottom"},
        {static_cast<int>(TextPosition::Top), "At the top", "top"},
        {0, nullptr, nullptr}};
    static const GType type = g_enum_register_static("SeesayOverlayPosition", values);
    return type;
}

}  // namespace

G_DEFINE_TYPE(SeesayOverlay, seesay_overlay, GST_TYPE_ELEMENT)

namespace {

OverlayStage& stage_of(gpointer object) {
    return *static_cast<SeesayOverlay*>(object)->stage;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
    stage_of(object).change_style([&](OverlayStyle& style) {
        switch (id) {
            case kShowText:
                style.show_text = g_value_get_boolean(value) != FALSE;
                break;
            case kAttention:
                style.attention = static_cast<AttentionDisplay>(g_value_get_enum(value));
                break;
            case kAttentionColours:
                style.colours = static_cast<Colours>(g_value_get_enum(value));
                break;
            case kAttentionOpacity:
                style.attention_opacity = g_value_get_double(value);
                break;
            case kWordDuration:
                style.word_duration_ns = g_value_get_uint(value) * kMillisecond;
                break;
            case kFont: {
                const gchar* font = g_value_get_string(value);
                style.text.font = font == nullptr || *font == '\0' ? kDefaultFont : font;
                break;
            }
            case kTextHeight:
                style.text.text_height = g_value_get_double(value);
                break;
            case kMaxLines:
                style.text.max_lines = static_cast<int>(g_value_get_uint(value));
                break;
            case kPosition:
                style.text.position = static_cast<TextPosition>(g_value_get_enum(value));
                break;
            case kBoxOpacity:
                style.text.box_opacity = g_value_get_double(value);
                break;
            default:
                G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
        }
    });
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
    const OverlayStyle style = stage_of(object).style();
    switch (id) {
        case kShowText:
            g_value_set_boolean(value, style.show_text ? TRUE : FALSE);
            break;
        case kAttention:
            g_value_set_enum(value, static_cast<int>(style.attention));
            break;
        case kAttentionColours:
            g_value_set_enum(value, static_cast<int>(style.colours));
            break;
        case kAttentionOpacity:
            g_value_set_double(value, style.attention_opacity);
            break;
        case kWordDuration:
            g_value_set_uint(value, static_cast<guint>(style.word_duration_ns / kMillisecond));
            break;
        case kFont:
            g_value_set_string(value, style.text.font.c_str());
            break;
        case kTextHeight:
            g_value_set_double(value, style.text.text_height);
            break;
        case kMaxLines:
            g_value_set_uint(value, static_cast<guint>(style.text.max_lines));
            break;
        case kPosition:
            g_value_set_enum(value, static_cast<int>(style.text.position));
            break;
        case kBoxOpacity:
            g_value_set_double(value, style.text.box_opacity);
            break;
        default:
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void install_attention_properties(GObjectClass* klass, const OverlayStyle& style) {
    g_object_class_install_property(
        klass, kAttention,
        g_param_spec_enum("attention", "Attention", "Which attention is drawn over the picture.",
                          attention_type(), static_cast<int>(style.attention), kChangeable));
    g_object_class_install_property(
        klass, kAttentionColours,
        g_param_spec_enum("attention-colours", "Attention colours",
                          "Colours of the attention over a grid.", colours_type(),
                          static_cast<int>(style.colours), kChangeable));
    g_object_class_install_property(
        klass, kAttentionOpacity,
        g_param_spec_double(
            "attention-opacity", "Attention opacity",
            "Opacity of the place that gets most attention, from 0 (invisible) to 1 (opaque).", 0.0,
            1.0, style.attention_opacity, kChangeable));
    g_object_class_install_property(
        klass, kWordDuration,
        g_param_spec_uint(
            "word-duration", "Word duration",
            "Milliseconds for which each word's attention is shown. 0 lets the words share the "
            "caption interval, but leaves none for less than 200: long captions then take 250 "
            "a word and run on while they hold.",
            0, 60'000, 0, kChangeable));
}

void install_text_properties(GObjectClass* klass, const OverlayStyle& style) {
    g_object_class_install_property(
        klass, kShowText,
        g_param_spec_boolean("show-text", "Show text", "Whether the caption is drawn.",
                             style.show_text ? TRUE : FALSE, kChangeable));
    g_object_class_install_property(
        klass, kFont,
        g_param_spec_string(
            "font", "Font",
            "Pango font description of the caption, such as \"Noto Sans Bold\". A size in it is "
            "ignored, see text-height. Other fonts stand in for characters it lacks.",
            kDefaultFont, kChangeable));
    g_object_class_install_property(
        klass, kTextHeight,
        g_param_spec_double("text-height", "Text height",
                            "Size of the letters (the em) as a part of the picture's height. "
                            "Upright and very small "
                            "pictures deviate from it, within 0.03 and 0.06.",
                            0.03, 0.06, style.text.text_height, kChangeable));
    g_object_class_install_property(
        klass, kMaxLines,
        g_param_spec_uint(
            "max-lines", "Most lines",
            "Lines that a caption may take. The rest of a longer one gives way to an ellipsis.", 1,
            20, static_cast<guint>(style.text.max_lines), kChangeable));
    g_object_class_install_property(
        klass, kPosition,
        g_param_spec_enum("position", "Position", "Where the caption stands.", position_type(),
                          static_cast<int>(style.text.position), kChangeable));
    g_object_class_install_property(
        klass, kBoxOpacity,
        g_param_spec_double("box-opacity", "Box opacity",
                            "Opacity of the dark box behind the caption, from 0 (no box) to 1 "
                            "(opaque). From 0.65 on, "
                            "text is readable on any background (contrast 4.5 or more).",
                            0.0, 1.0, style.text.box_opacity, kChangeable));
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
    OverlayStage& stage = stage_of(element);
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
        try {
            stage.start();
        } catch (const std::exception& error) {
            GST_ELEMENT_ERROR(element, RESOURCE, FAILED, ("%s", error.what()), ("loading fonts"));
            return GST_STATE_CHANGE_FAILURE;
        }
    }
    const GstStateChangeReturn result =
        GST_ELEMENT_CLASS(seesay_overlay_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
        stage.stop();
    }
    return result;
}

void finalize(GObject* object) {
    delete static_cast<SeesayOverlay*>(static_cast<gpointer>(object))->stage;
    G_OBJECT_CLASS(seesay_overlay_parent_class)->finalize(object);
}

void add_pad_templates(GstElementClass* klass) {
    GstCaps* caps = elements::viewable_caps();
    gst_element_class_add_pad_template(
        klass, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_element_class_add_pad_template(
        klass, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
}

}  // namespace

void seesay_overlay_class_init(SeesayOverlayClass* klass) {
    GST_DEBUG_CATEGORY_INIT(seesay_overlay_debug, "seesayoverlay", 0,
                            "seesay caption and attention overlay");
    GObjectClass* object_class = G_OBJECT_CLASS(klass);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    const OverlayStyle defaults;
    install_text_properties(object_class, defaults);
    install_attention_properties(object_class, defaults);
    GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
    element_class->change_state = change_state;
    add_pad_templates(element_class);
    gst_element_class_set_static_metadata(
        element_class, "Seesay caption overlay", "Filter/Effect/Video",
        "Draws captions and the attention behind each word on passing video, in "
        "the video's own format",
        "The seesay authors");
    for (const GType type : {attention_type(), colours_type(), position_type()}) {
        gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
    }
}

void seesay_overlay_init(SeesayOverlay* self) {
    GstElement* element = GST_ELEMENT(self);
    GstElementClass* klass = GST_ELEMENT_GET_CLASS(self);
    GstPad* sink =
        gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "sink"), "sink");
    GstPad* source =
        gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "src"), "src");
    self->stage = new OverlayStage(element, sink, source);
    gst_pad_set_chain_function(sink, [](GstPad*, GstObject* parent, GstBuffer* buffer) {
        return stage_of(parent).chain(buffer);
    });
    gst_pad_set_event_function(sink, [](GstPad*, GstObject* parent, GstEvent* event) {
        return stage_of(parent).sink_event(event);
    });
    GST_PAD_SET_PROXY_CAPS(sink);
    GST_PAD_SET_PROXY_ALLOCATION(sink);
    GST_PAD_SET_PROXY_SCHEDULING(sink);
    GST_PAD_SET_PROXY_CAPS(source);
    GST_PAD_SET_PROXY_SCHEDULING(source);
    gst_element_add_pad(element, sink);
    gst_element_add_pad(element, source);
}

}  // namespace seesay::overlay

namespace seesay::elements {

GType overlay_type() {
    const GType existing = g_type_from_name("SeesayOverlay");
    return existing != 0 ? existing : overlay::seesay_overlay_get_type();
}

bool register_overlay(GstPlugin* plugin) {
    return gst_element_register(plugin, "seesayoverlay", GST_RANK_NONE, overlay_type()) != FALSE;
}

}  // namespace seesay::elements
