// Films for tests, made by the ffmpeg program, what ffprobe says of films, and jobs with a script
// in place of networks.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/caption_job.hpp"
#include "tests/fixtures/tiny_packages.hpp"

namespace seesay::testing {

using fixtures::TemporaryFolder;

/// Runs `ffmpeg ARGUMENTS… OUTPUT`; the test program fails with its message if it does not succeed.
void run_ffmpeg(std::vector<std::string> arguments);
/// ffmpeg's arguments for `seconds` of a moving test picture.
std::vector<std::string> test_picture(int width, int height, const std::string& rate,
                                      double seconds);
/// A film of the test picture with further arguments in front of the output's name.
std::filesystem::path make_film(const std::filesystem::path& file, int width, int height,
                                const std::string& rate, double seconds,
                                const std::vector<std::string>& more = {});

nlohmann::json probe(const std::filesystem::path& file, const std::vector<std::string>& arguments);
/// Streams as `ffprobe -show_streams` tells them.
std::vector<nlohmann::json> streams(const std::filesystem::path& file);
/// The first stream of a kind (`video`, `audio`, `subtitle`).
nlohmann::json stream(const std::filesystem::path& file, const std::string& kind);
/// Frames that can be decoded of the first video track.
int frame_count(const std::filesystem::path& file);
/// Presentation times of a track (`v:0`, `a:0`…) in order, seconds.
std::vector<double> times(const std::filesystem::path& file, const std::string& track = "v:0");
/// The greatest difference between two lists of times; infinite if they are not as long.
double difference(const std::vector<double>& a, const std::vector<double>& b);
/// The film's length as its container tells it, seconds.
double duration(const std::filesystem::path& file);
/// A hash of a track's packets: their bytes, in order.
std::string packet_hash(const std::filesystem::path& file, int index);
/// A picture of `file` as RGB bytes at the given size.
std::vector<std::uint8_t> rgb_picture(const std::filesystem::path& file, int width, int height);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& bytes);
/// Names in a folder, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// In place of the captioning elements: captions that begin at given times (seconds) and hold until
/// the next.
using Script = std::vector<std::pair<double, std::string>>;
GstElement* scripted_captions(const Script& script);

/// A job with a script (by default one caption), and what it told.
struct ScriptedJob {
    pipeline::CaptionJob job;
    std::vector<std::string> notices;
    std::vector<std::string> captions;
    std::atomic<bool> stop{false};

    explicit ScriptedJob(const std::filesystem::path& input,
                         const std::filesystem::path& output = {},
                         const Script& script = {{0.0, "a dog runs"}});
    pipeline::CaptionJobResult run();
    /// The message of the Error that the job ends with; fails if it does not.
    std::string error();
};

}  // namespace seesay::testing
