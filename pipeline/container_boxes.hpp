// The outer structure of film files, read without a demuxer: is all there that the headers promise?
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace seesay::pipeline {

/// For MP4/MOV, Matroska/WebM and AVI files: a few words on how the file ends early ("a box of
/// 91,233 bytes ends after 60,000"), or nothing where it is whole, of another kind, or cannot be
/// read.
std::string missing_data(const std::filesystem::path& file);

/// Sets or clears the flag "enabled" of an MP4 film's tracks, in the order of the tracks: players
/// switch on what is enabled, and libavformat enables the first subtitle track whatever it is told.
/// `enabled[i]` < 0 leaves track i alone. Throws Error if the file has not that many tracks or
/// cannot be written.
void set_enabled_tracks(const std::filesystem::path& file, const std::vector<int>& enabled);

}  // namespace seesay::pipeline
