// The properties of seesaycaption that steer decoding and keeping, and what they make of a
// package's defaults.
#pragma once

#include <gst/gst.h>

#include "elements/inference/session_properties.hpp"
#include "models/language/decoding_options.hpp"

namespace seesay::elements {

/// A switch that leaves the choice to the package.
enum class Choice { Package, No, Yes };

/// 0 or -1, as the property's text says, stands for what the package states.
struct CaptionSettings {
    SessionSettings session;
    int beam = 0;
    double length_exponent = -1.0;
    int maximum_length = 0;
    int minimum_length = -1;
    int block_ngrams = -1;
    Choice suppress_unknown = Choice::Package;
    Choice forbid_repeats = Choice::Package;
    double keep_margin = 0.3;
};

/// The options that hold: the settings over the package's `defaults`. Throws Error if they
/// contradict each other.
language::DecodingOptions resolve(const CaptionSettings& settings,
                                  language::DecodingOptions defaults);

/// Installs the shared and the decoding properties. Returns the first free property id.
guint install_caption_properties(GObjectClass* object_class);
/// False if `id` is none of them.
bool set_caption_property(CaptionSettings& settings, guint id, const GValue* value);
bool get_caption_property(const CaptionSettings& settings, guint id, GValue* value);

}  // namespace seesay::elements
