// From caption updates to JSON: key order, number formats and the guards that keep every event
// valid.
#include "elements/events/event_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "elements/events/clean_text.hpp"
#include "elements/events/event_time.hpp"
#include "elements/events/float16.hpp"
#include "models/error.hpp"

namespace seesay::elements {
namespace {

using nlohmann::ordered_json;

constexpr float kLowestLogProbability = -1000.F;
// `cached` is the last key of every event, which is what lets `as_cached` change it without
// parsing.
constexpr std::string_view kFreshEnding = R"("cached":false})";
constexpr std::string_view kCachedEnding = R"("cached":true})";

/// The double whose shortest decimal form is that of `value`: 0.1F is written as 0.1.
double as_written(float value) {
    std::array<char, 48> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    double wide = 0.0;
    std::from_chars(text.data(), end, wide);
    return wide;
}

double log_probability(float value) {
    return std::isfinite(value) ? as_written(std::max(value, kLowestLogProbability))
                                : kLowestLogProbability;
}

double milliseconds(std::int64_t nanoseconds) {
    return std::round(static_cast<double>(std::max<std::int64_t>(nanoseconds, 0)) / 1e3) / 1e3;
}

ordered_json begin_event(const EventHeader& header, std::string_view kind) {
    return {{"schema", kEventSchema},
            {"stream", header.stream},
            {"run_id", header.run_id},
            {"sequence", header.sequence},
            {"kind", kind}};
}

ordered_json geometry_json(const vision::Geometry& geometry) {
    ordered_json json;
    if (geometry.kind == vision::Geometry::Kind::Grid) {
        json = {{"kind", "grid"}, {"rows", geometry.rows}, {"columns", geometry.columns}};
    } else {
        json = {{"kind", "boxes"}, {"boxes", ordered_json::array()}};
        for (const auto& box : geometry.boxes) {
            ordered_json corners = ordered_json::array();
            for (const float coordinate : box) {
                corners.push_back(std::isfinite(coordinate) ? as_written(coordinate) : 0.0);
            }
            json["boxes"].push_back(std::move(corners));
        }
    }
    // Only cropping and letterboxing packages look at another rectangle than the whole picture.
    if (geometry.picture_box != std::array<float, 4>{0.F, 0.F, 1.F, 1.F}) {
        json["picture_box"] = ordered_json::array();
        for (const float coordinate : geometry.picture_box) {
            json["picture_box"].push_back(as_written(coordinate));
        }
    }
    return json;
}

bool has_attention(const language::Caption& caption) {
    return !caption.attention.empty();
}

void check_attention(const language::Caption& caption) {
    if (!has_attention(caption)) {
        return;
    }
    const vision::Geometry& geometry = caption.geometry;
    const std::size_t regions = geometry.kind == vision::Geometry::Kind::Grid
                                    ? static_cast<std::size_t>(geometry.rows) * geometry.columns
                                    : geometry.boxes.size();
    const auto attended = static_cast<std::size_t>(caption.attended);
    if (caption.attended <= 0 || regions != attended ||
        caption.attention.size() != caption.tokens.size() * attended) {
        throw Error(
            "the attention of a caption does not fit: " + std::to_string(caption.attention.size()) +
            " numbers for " + std::to_string(caption.tokens.size()) + " words × " +
            std::to_string(caption.attended) + " vectors over " + std::to_string(regions) +
            " regions; the element before seesaypublish made it");
    }
}

ordered_json attention_json(const language::Caption& caption) {
    if (!has_attention(caption)) {
        return nullptr;
    }
    return {{"shape", {caption.tokens.size(), caption.attended}},
            {"geometry", geometry_json(caption.geometry)},
            {"picture", {{"width", caption.frame.width}, {"height", caption.frame.height}}}};
}

ordered_json tokens_json(const language::Caption& caption) {
    ordered_json tokens = ordered_json::array();
    for (const language::Token& token : caption.tokens) {
        tokens.push_back({{"text", clean_text(token.text)},
                          {"log_probability", log_probability(token.log_probability)}});
    }
    return tokens;
}

}  // namespace

ordered_json caption_event(const EventHeader& header, const CaptionUpdate& update) {
    const language::Caption& caption = *update.caption;
    const Segment& segment = update.segment;
    check_attention(caption);
    ordered_json event = begin_event(header, kCaptionKind);
    event["pts_ns"] = caption.frame.pts_ns;
    event["running_time_ns"] = caption.frame.running_time_ns;
    event["wall_clock"] = rfc3339_utc(caption.frame.wall_clock_us >= 0 ? caption.frame.wall_clock_us
                                                                       : header.published_at_us);
    event["published_at"] = rfc3339_utc(header.published_at_us);
    event["segment"] = {{"id", segment.id},
                        {"start_ns", segment.start_ns},
                        {"end_ns", segment.end_ns},
                        {"revision", segment.revision},
                        {"final", segment.final}};
    event["text"] = clean_text(caption.text);
    event["language"] = clean_text(caption.language);
    event["tokens"] = tokens_json(caption);
    event["confidence"] = std::isfinite(caption.confidence)
                              ? as_written(std::clamp(caption.confidence, 0.F, 1.F))
                              : 0.0;
    event["model"] = {{"name", clean_text(caption.model.name)},
                      {"sha256", clean_text(caption.model.sha256)}};
    event["attention"] = attention_json(caption);
    event["latency_ms"] = {{"inference", milliseconds(caption.inference_ns)},
                           {"total", milliseconds(update.latency_total_ns)}};
    event["dropped"] = {{"late", update.dropped.late}, {"queue", update.dropped.queue}};
    event["cached"] = false;
    return event;
}

void add_attention_weights(ordered_json& event, const language::Caption& caption) {
    if (!has_attention(caption)) {
        return;
    }
    ordered_json rows = ordered_json::array();
    auto value = caption.attention.begin();
    for (std::size_t token = 0; token < caption.tokens.size(); ++token) {
        ordered_json row = ordered_json::array();
        for (int region = 0; region < caption.attended; ++region, ++value) {
            row.push_back(
                std::isfinite(*value) ? std::round(static_cast<double>(*value) * 1e4) / 1e4 : 0.0);
        }
        rows.push_back(std::move(row));
    }
    event["attention"]["weights"] = std::move(rows);
}

std::string attention_bytes(const language::Caption& caption) {
    return float16_bytes(caption.attention);
}

ordered_json status_event(const EventHeader& header, const StatusReport& report) {
    ordered_json event = begin_event(header, kStatusKind);
    event["published_at"] = rfc3339_utc(header.published_at_us);
    event["final"] = report.final;
    event["uptime_ns"] = report.uptime_ns;
    event["counters"] = {
        {"frames", report.frames}, {"captions", report.captions}, {"sent", report.sent}};
    event["dropped"] = {
        {"late", report.dropped.late}, {"queue", report.dropped.queue}, {"unsent", report.unsent}};
    event["subscribers"] = report.subscribers;
    event["sockets"] = ordered_json::array();
    for (const SocketDescription& socket : report.sockets) {
        event["sockets"].push_back({{"role", socket.role}, {"endpoint", socket.endpoint}});
    }
    event["cached"] = false;
    return event;
}

std::string to_line(const ordered_json& event) {
    return event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string as_cached(std::string_view line) {
    if (!line.ends_with(kFreshEnding)) {
        throw Error("an event does not end in its key \"cached\": " +
                    std::string(line.substr(0, 80)));
    }
    line.remove_suffix(kFreshEnding.size());
    return std::string(line) += kCachedEnding;
}

}  // namespace seesay::elements
