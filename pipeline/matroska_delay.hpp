// Codec delay in Matroska files: audio samples before time zero, which libavformat's muxer can tell
// only of Opus.
//
// Without it the muxer moves all tracks until nothing lies before zero, and no frame keeps its
// time. So a track's name gets a marker when the header is written, and the marker is then
// replaced, in place, by the element CodecDelay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace seesay::pipeline {

/// What to append to the name of output track `track`.
std::string delay_marker(int track);

/// Replaces the marker of `track` at the start of `file` by a CodecDelay of `delay_ns` (below
/// 2^32); the name is then what stood before the marker. False if the marker is not there.
bool replace_delay_marker(const std::filesystem::path& file, int track, std::int64_t delay_ns);

}  // namespace seesay::pipeline
