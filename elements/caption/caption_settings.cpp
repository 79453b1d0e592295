// See the header.
#include "elements/caption/caption_settings.hpp"

#include "models/error.hpp"

namespace seesay::elements {
namespace {

enum Property : guint {
    kBeam = kFirstOwnProperty,
    kLengthExponent,
    kMaximumLength,
    kMinimumLength,
    kBlockNgrams,
    kSuppressUnknown,
    kForbidRepeats,
    kKeepMargin,
    kEnd,
};

constexpr auto kAnyTime = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                   GST_PARAM_MUTABLE_PLAYING);
constexpr int kWidestBeam = 100;
constexpr int kLongestSentence = 200;

GType choice_type() {
    static const GEnumValue values[] = {
        {static_cast<gint>(Choice::Package), "As the model package states", "package"},
        {static_cast<gint>(Choice::No), "No", "no"},
        {static_cast<gint>(Choice::Yes), "Yes", "yes"},
        {0, nullptr, nullptr}};
    static const GType type = enum_type("SeesayChoice", values);
    return type;
}

void install_integer(GObjectClass* object_class, Property id, const char* name, const char* nick,
                     const char* blurb, int minimum, int maximum) {
    g_object_class_install_property(
        object_class, id, g_param_spec_int(name, nick, blurb, minimum, maximum, minimum, kAnyTime));
}

void install_choice(GObjectClass* object_class, Property id, const char* name, const char* nick,
                    const char* blurb) {
    g_object_class_install_property(
        object_class, id,
        g_param_spec_enum(name, nick, blurb, choice_type(), static_cast<gint>(Choice::Package),
                          kAnyTime));
}

}  // namespace

language::DecodingOptions resolve(const CaptionSettings& settings,
                                  language::DecodingOptions defaults) {
    language::DecodingOptions options = std::move(defaults);
    if (settings.beam > 0) options.beam = settings.beam;
    if (settings.length_exponent >= 0.0) options.length_exponent = settings.length_exponent;
    if (settings.maximum_length > 0) options.maximum_length = settings.maximum_length;
    if (settings.minimum_length >= 0) options.minimum_length = settings.minimum_length;
    if (settings.block_ngrams >= 0) options.block_ngrams = settings.block_ngrams;
    if (settings.suppress_unknown != Choice::Package)
        options.suppress_unknown = settings.suppress_unknown == Choice::Yes;
    if (settings.forbid_repeats != Choice::Package)
        options.forbid_repeats = settings.forbid_repeats == Choice::Yes;
    if (options.minimum_length > options.maximum_length) {
        throw Error("minimum-length " + std::to_string(options.minimum_length) +
                    " is more than maximum-length " + std::to_string(options.maximum_length) +
                    ": set one of the two");
    }
    return options;
}

guint install_caption_properties(GObjectClass* object_class) {
    install_session_properties(object_class, "Name or folder of the captioner's model package.");
    install_integer(
        object_class, kBeam, "beam", "Beam width",
        "Hypotheses that the sentence search keeps. 1 is greedy, 0 takes what the package states.",
        0, kWidestBeam);
    g_object_class_install_property(
        object_class, kLengthExponent,
        g_param_spec_double("length-exponent", "Length exponent",
                            "Sentences rank by their summed log-probability divided by length to "
                            "this power. A negative "
                            "value takes what the package states.",
                            -1.0, 5.0, -1.0, kAnyTime));
    install_integer(object_class, kMaximumLength, "maximum-length", "Maximum length",
                    "Most words of a caption. 0 takes what the package states.", 0,
                    kLongestSentence);
    install_integer(object_class, kMinimumLength, "minimum-length", "Minimum length",
                    "Fewest words of a caption. -1 takes what the package states.", -1,
                    kLongestSentence);
    install_integer(object_class, kBlockNgrams, "block-ngrams", "Blocked n-grams",
                    "No sequence of this many words occurs twice in a caption. 0 allows all, -1 "
                    "takes what the package "
                    "states.",
                    -1, kLongestSentence);
    install_choice(object_class, kSuppressUnknown, "suppress-unknown", "Suppress unknown words",
                   "Whether the placeholder for unknown words is kept out of captions.");
    install_choice(object_class, kForbidRepeats, "forbid-repeats", "Forbid repeats",
                   "Whether a word is kept from following itself.");
    g_object_class_install_property(
        object_class, kKeepMargin,
        g_param_spec_double(
            "keep-margin", "Margin for keeping",
            "A new text replaces the held one only if its score on the new frame is more than this "
            "above the held one's. The unit is that of the score: log-probability divided by "
            "length to "
            "the length exponent. 0 always takes the newest text.",
            0.0, 100.0, CaptionSettings().keep_margin, kAnyTime));
    gst_type_mark_as_plugin_api(choice_type(), static_cast<GstPluginAPIFlags>(0));
    return kEnd;
}

bool set_caption_property(CaptionSettings& settings, guint id, const GValue* value) {
    switch (id) {
        case kBeam:
            settings.beam = g_value_get_int(value);
            return true;
        case kLengthExponent:
            settings.length_exponent = g_value_get_double(value);
            return true;
        case kMaximumLength:
            settings.maximum_length = g_value_get_int(value);
            return true;
        case kMinimumLength:
            settings.minimum_length = g_value_get_int(value);
            return true;
        case kBlockNgrams:
            settings.block_ngrams = g_value_get_int(value);
            return true;
        case kSuppressUnknown:
            settings.suppress_unknown = static_cast<Choice>(g_value_get_enum(value));
            return true;
        case kForbidRepeats:
            settings.forbid_repeats = static_cast<Choice>(g_value_get_enum(value));
            return true;
        case kKeepMargin:
            settings.keep_margin = g_value_get_double(value);
            return true;
        default:
            return set_session_property(settings.session, id, value);
    }
}

bool get_caption_property(const CaptionSettings& settings, guint id, GValue* value) {
    switch (id) {
        case kBeam:
            g_value_set_int(value, settings.beam);
            return true;
        case kLengthExponent:
            g_value_set_double(value, settings.length_exponent);
            return true;
        case kMaximumLength:
            g_value_set_int(value, settings.maximum_length);
            return true;
        case kMinimumLength:
            g_value_set_int(value, settings.minimum_length);
            return true;
        case kBlockNgrams:
            g_value_set_int(value, settings.block_ngrams);
            return true;
        case kSuppressUnknown:
            g_value_set_enum(value, static_cast<gint>(settings.suppress_unknown));
            return true;
        case kForbidRepeats:
            g_value_set_enum(value, static_cast<gint>(settings.forbid_repeats));
            return true;
        case kKeepMargin:
            g_value_set_double(value, settings.keep_margin);
            return true;
        default:
            return get_session_property(settings.session, id, value);
    }
}

}  // namespace seesay::elements
