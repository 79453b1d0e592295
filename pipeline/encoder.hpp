// The encoding part of a film's pipeline: any raw video in, packets of one codec out.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

#include "pipeline/film_writer.hpp"

namespace seesay::pipeline {

struct EncoderSettings {
    std::string name;  ///< x264, x265, openh264, vp9, vp8; empty: what the container usually has
    int crf = -1;  ///< constant quality, the encoder's own scale; −1: 20 for x264, 32 for VP9…
    std::string preset;  ///< speed, in x264's words; empty: veryfast
    Container container = Container::Matroska;
    bool live = false;         ///< no look-ahead
    bool tagged = true;        ///< false: the source has no colour tags, and none are written
    double frame_rate = 25.0;  ///< for the distance of key frames; 0 where unknown
    std::int64_t pixels = 0;   ///< of a picture; large ones are encoded with few frames in memory
};

/// A bin with pads `sink` (video/x-raw) and `src` (encoded, parsed): 8-bit 4:2:0, odd sizes cropped
/// by one pixel, later changes of size scaled to the first one. Throws UsageError for an unknown
/// encoder or preset, or for one that the container does not go with; Error where GStreamer lacks
/// the element.
GstElement* new_encoder(const EncoderSettings& settings);

/// What is wrong with the name of an encoder or of a preset, whatever the container; nothing if it
/// is known.
std::optional<std::string> encoder_name_mistake(const std::string& name);
std::optional<std::string> preset_mistake(const std::string& preset);

/// Describes the encoder's output from the caps of its first packet.
BurnedVideo describe_encoded(GstCaps* caps, bool tagged);

}  // namespace seesay::pipeline
