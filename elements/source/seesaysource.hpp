// seesaysource: any film, picture, URI or device → decoded, upright, progressive, timestamped
// video.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "elements/source/film_reader.hpp"

namespace seesay::elements {

/// Registers the element.
gboolean register_source(GstPlugin* plugin);

/// A new seesaysource (floating reference), for programs that are linked with the element.
GstElement* new_source();

/// Hands over an open film in place of the property `uri`, and who sees its packets. Before READY →
/// PAUSED.
void set_film_input(GstElement* source, std::unique_ptr<FilmInput> input, FilmReader::Tap tap);

/// What the source met so far; complete when EOS has come.
FilmReport film_report(GstElement* source);

}  // namespace seesay::elements
