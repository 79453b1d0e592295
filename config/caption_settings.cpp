// Limits and reading of CaptionSettings.
#include "config/caption_settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "config/settings_file.hpp"

namespace seesay::config {
namespace {

template <std::size_t N>
std::optional<std::string> one_of(const std::string& value,
                                  const std::array<std::string_view, N>& choices) {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
        return std::nullopt;
    }
    std::string text = "expected ";
    for (std::size_t i = 0; i < N; ++i) {
        text.append(i == 0 ? "" : i + 1 == N ? " or " : ", ").append(choices[i]);
    }
    return text.append(", found '").append(value).append("'");
}

template <typename T>
std::optional<std::string> within(T value, T low, T high, const char* what) {
    if (value >= low && value <= high) {
        return std::nullopt;
    }
    return std::string("expected ") + what;
}

std::optional<std::string> device_mistake(const std::string& device) {
    const bool numbered =
        device.rfind("cuda:", 0) == 0 && device.size() > 5 && device.size() <= 8 &&
        std::all_of(device.begin() + 5, device.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (device == "auto" || device == "cpu" || device == "cuda" || numbered) {
        return std::nullopt;
    }
    return "expected auto, cpu, cuda or cuda:N, found '" + device + "'";
}

std::optional<std::string> stream_mistake(const std::string& stream) {
    const bool plain = std::all_of(stream.begin(), stream.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
    if (plain && stream.size() <= 64) {
        return std::nullopt;
    }
    return "a stream id has 1 to 64 of A-Z a-z 0-9 . _ -, found '" + stream + "'";
}

}  // namespace

std::optional<std::string> find_mistake(const CaptionSettings& s, std::string_view key) {
    using namespace std::string_view_literals;
    if (key == "interval") {
        return within(s.interval, 0.0, kLongestInterval, "0 (every frame) to 86400 seconds");
    }
    if (key == "beam") {
        return within(s.beam, 1, kWidestBeam, "1 to 100");
    }
    if (key == "threads") {
        return within(s.threads, 0, kMostThreads, "0 (one a core) to 1024");
    }
    if (key == "crf") {
        return within(s.crf, 0, kWorstCrf, "0 to 51");
    }
    if (key == "burn") {
        return one_of(s.burn, std::array{"text"sv, "none"sv});
    }
    if (key == "attention") {
        if (s.burn == "none" && !s.attention.empty() && s.attention != "none") {
            return "without burned-in text (burn none) there is no attention to draw: use none";
        }
        return s.attention.empty() ? std::nullopt
                                   : one_of(s.attention, std::array{"none"sv, "words"sv, "mean"sv});
    }
    if (key == "mode") {
        return one_of(s.mode, std::array{"auto"sv, "every"sv, "latest"sv});
    }
    if (key == "device") {
        return device_mistake(s.device);
    }
    if (key == "stream") {
        return stream_mistake(s.stream);
    }
    return std::nullopt;
}

CaptionSettings parse_caption_settings(const std::string& text, const std::string& origin,
                                       const SettingCheck& further) {
    SettingsFile file(text, origin);
    CaptionSettings settings;
    const auto read = [&](const std::string& key, auto& value) {
        if (file.read(key, value)) {
            auto mistake = find_mistake(settings, key);
            if (!mistake && further) mistake = further(settings, key);
            if (mistake) file.fail(key, *mistake);
        }
    };
    read("package", settings.package);
    read("interval", settings.interval);
    read("beam", settings.beam);
    read("burn", settings.burn);
    read("attention", settings.attention);
    read("publish", settings.publish);
    read("stream", settings.stream);
    read("device", settings.device);
    read("threads", settings.threads);
    read("mode", settings.mode);
    read("encoder", settings.encoder);
    read("crf", settings.crf);
    read("preset", settings.preset);
    read("drop-tracks", settings.drop_tracks);
    file.finish();
    return settings;
}

CaptionSettings load_caption_settings(const std::filesystem::path& file,
                                      const SettingCheck& further) {
    return parse_caption_settings(read_settings_text(file), file.string(), further);
}

}  // namespace seesay::config
