// seesayfilmsrc: the part of seesaysource that reads films and pictures with libavformat and
// libavcodec.
//
// GStreamer's demuxers hang on some containers and know less of time stamps, cuts and edit lists
// than libavformat, which also writes our films: with one reader for both, the written film has the
// source's own times. Live and adaptive streams take the other way (stream_input.hpp).
#pragma once

#include <gst/base/gstpushsrc.h>

#include <functional>
#include <memory>
#include <string>

#include "elements/source/film_reader.hpp"

namespace seesay::elements {

/// What a FilmSource is told, and what it tells, besides its buffers.
struct FilmSourceSetup {
    std::string location;              ///< opened at READY → PAUSED, unless `input` is given
    std::unique_ptr<FilmInput> input;  ///< already open
    int threads = 0;
    FilmReader::Tap tap;                              ///< sees every packet; then seeking is off
    std::function<void(Orientation)> on_orientation;  ///< before the first buffer, on its thread
    std::function<void(const FilmReport&)> on_end;    ///< before EOS, on its thread
    std::function<void(const std::string&)>
        on_notice;  ///< a sentence worth a warning, on its thread
};

/// A GstPushSrc (floating reference) with raw video of the film: times and durations on every
/// buffer.
GstElement* new_film_source(FilmSourceSetup setup);

}  // namespace seesay::elements
