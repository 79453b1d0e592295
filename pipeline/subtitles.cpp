// Ordering, time formats and escaping of cues.
#include "pipeline/subtitles.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "elements/events/clean_text.hpp"

namespace seesay::pipeline {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

std::int64_t round_to_millisecond(std::int64_t time_ns) {
    return std::max<std::int64_t>(0, (time_ns + kMillisecond / 2) / kMillisecond) * kMillisecond;
}

// One line of valid text: a line break inside a cue could end it.
std::string cue_text(const std::string& text) {
    std::string line = elements::clean_text(text);
    const auto not_space = [](unsigned char c) { return c != ' '; };
    line.erase(line.begin(), std::find_if(line.begin(), line.end(), not_space));
    line.erase(std::find_if(line.rbegin(), line.rend(), not_space).base(), line.end());
    return line;
}

std::string escape_webvtt(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

}  // namespace

std::vector<Cue> in_order(std::vector<Cue> cues) {
    for (Cue& cue : cues) {
        cue.start_ns = round_to_millisecond(cue.start_ns);
        cue.end_ns = round_to_millisecond(cue.end_ns);
        cue.text = cue_text(cue.text);
    }
    std::stable_sort(cues.begin(), cues.end(),
                     [](const Cue& a, const Cue& b) { return a.start_ns < b.start_ns; });
    std::vector<Cue> result;
    for (Cue& cue : cues) {
        if (cue.text.empty() || cue.end_ns <= cue.start_ns) continue;
        if (!result.empty()) {
            Cue& before = result.back();
            if (before.text == cue.text && before.end_ns >= cue.start_ns) {
                before.end_ns = std::max(before.end_ns, cue.end_ns);
                continue;
            }
            before.end_ns = std::min(before.end_ns, cue.start_ns);
            if (before.end_ns <= before.start_ns) result.pop_back();
        }
        result.push_back(std::move(cue));
    }
    return result;
}

std::string clock_time(std::int64_t time_ns, char decimal_mark) {
    const std::int64_t milliseconds = round_to_millisecond(time_ns) / kMillisecond;
    char text[40];
    std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld%c%03lld",
                  static_cast<long long>(milliseconds / 3'600'000),
                  static_cast<long long>(milliseconds / 60'000 % 60),
                  static_cast<long long>(milliseconds / 1000 % 60), decimal_mark,
                  static_cast<long long>(milliseconds % 1000));
    return text;
}

std::string to_webvtt(const std::vector<Cue>& cues) {
    std::string file = "WEBVTT\n";
    for (const Cue& cue : in_order(cues)) {
        file += '\n';
        file += clock_time(cue.start_ns) + " --> " + clock_time(cue.end_ns) + '\n';
        file += escape_webvtt(cue.text) + '\n';
    }
    return file;
}

std::string subrip_text(const std::string& text) {
    static const std::string joiner = "\xE2\x81\xA0";  // U+2060, invisible
    std::string broken;
    const std::string line = cue_text(text);
    for (std::size_t i = 0; i < line.size(); ++i) {
        broken += line[i];
        const bool arrow = line.compare(i, 3, "-->") == 0;
        if (line[i] == '<' || line[i] == '{' || arrow) broken += joiner;
    }
    return broken;
}

std::string to_subrip(const std::vector<Cue>& cues) {
    std::string file;
    int number = 0;
    for (const Cue& cue : in_order(cues)) {
        file += std::to_string(++number) + '\n';
        file += clock_time(cue.start_ns, ',') + " --> " + clock_time(cue.end_ns, ',') + '\n';
        file += subrip_text(cue.text) + "\n\n";
    }
    return file;
}

std::optional<Cue> CueCollector::update(const elements::CaptionUpdate& update) {
    if (update.caption == nullptr) {
        return std::nullopt;
    }
    const elements::Segment& segment = update.segment;
    std::optional<Cue> known;
    if (open_ && segment.id != open_segment_) {
        known = close(segment.start_ns);
    }
    if (!open_) {
        if (segment.final && segment.id == open_segment_) return known;
        open_ = Cue{segment.start_ns, segment.end_ns, update.caption->text};
        open_segment_ = segment.id;
    }
    open_->end_ns = std::max(open_->start_ns, segment.end_ns);
    return segment.final ? close(segment.end_ns) : known;
}

std::optional<Cue> CueCollector::close(std::int64_t end_ns) {
    Cue cue = *std::exchange(open_, std::nullopt);
    cue.end_ns = end_ns;
    if (cue.end_ns <= cue.start_ns) {
        return std::nullopt;
    }
    cues_.push_back(cue);
    return cue;
}

std::optional<Cue> CueCollector::cut(std::int64_t now_ns) {
    if (!open_ || now_ns <= open_->start_ns) {
        return std::nullopt;
    }
    Cue rest = *open_;
    const std::optional<Cue> part = close(now_ns);
    rest.start_ns = now_ns;
    rest.end_ns = std::max(rest.end_ns, now_ns);
    open_ = std::move(rest);
    return part;
}

std::optional<Cue> CueCollector::finish(std::int64_t end_ns) {
    return open_ ? close(std::max(end_ns, open_->end_ns)) : std::nullopt;
}

std::optional<std::int64_t> CueCollector::open_start_ns() const {
    return open_ ? std::optional(open_->start_ns) : std::nullopt;
}

}  // namespace seesay::pipeline
