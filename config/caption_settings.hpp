// CaptionSettings: what `seesay caption` can be told, with the one place of its defaults and
// limits.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace seesay::config {

struct CaptionSettings {
    std::string package = "default";  ///< captioner package, a name or a path
    double interval = 1.0;            ///< seconds of media time between captions; 0: every frame
    int beam = 3;                     ///< beam width; 1 is greedy
    std::string burn = "text";        ///< text | none
    std::string attention;            ///< none | words | mean; empty: words, or none with burn none
    std::string publish;              ///< ZeroMQ endpoint; empty: no events
    std::string stream;               ///< stream id of the events; empty: from the input's name
    std::string device = "auto";      ///< auto | cpu | cuda | cuda:N
    int threads = 1;                  ///< CPU threads of each model; 0: one a core
    std::string mode = "auto";        ///< auto | every | latest
    std::string encoder = "auto";     ///< GStreamer video encoder; auto: x264enc, vp9enc for .webm
    int crf = 20;                     ///< quality of the burned-in video, 0…51: lower is better
    std::string preset = "veryfast";  ///< x264 preset
    bool drop_tracks = false;         ///< left-out tracks are no reason for exit code 3
};

/// Limits, for the command line and for files alike.
inline constexpr double kLongestInterval = 86400.0;
inline constexpr int kWidestBeam = 100;
inline constexpr int kMostThreads = 1024;
inline constexpr int kWorstCrf = 51;

/// A sentence that says what is wrong with one value, or nothing. `key` as in the file.
std::optional<std::string> find_mistake(const CaptionSettings& settings, std::string_view key);

/// A check like find_mistake, of whoever knows more about a key's values.
using SettingCheck =
    std::function<std::optional<std::string>(const CaptionSettings&, std::string_view key)>;

/// The settings of a YAML file: a map of keys named as the options of `seesay caption` (`interval`,
/// `drop-tracks`); absent ones keep their defaults. Throws ConfigError: unreadable, larger than 1
/// MiB, not UTF-8, not YAML, an unknown key (with the nearest known one), a key given twice, a
/// value of another type, empty, or out of range, also by `further`.
CaptionSettings load_caption_settings(const std::filesystem::path& file,
                                      const SettingCheck& further = {});

/// The same from text; `origin` names it in messages.
CaptionSettings parse_caption_settings(const std::string& text, const std::string& origin,
                                       const SettingCheck& further = {});

}  // namespace seesay::config
