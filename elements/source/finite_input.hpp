// Which inputs libavformat reads, and which GStreamer has to play.
#pragma once

#include <memory>
#include <string>

#include "elements/source/film_input.hpp"

namespace seesay::elements {

/// Opens what has an end: local files, standard input, films and pictures on HTTP servers. Null for
/// devices, cameras and addresses without an end or of other kinds, which are streams. Throws as
/// FilmInput::open.
std::unique_ptr<FilmInput> open_finite(const std::string& location,
                                       const FilmInputOptions& options = {});

}  // namespace seesay::elements
