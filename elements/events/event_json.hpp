// The JSON of events, version 1 (schemas in elements/events/schema), and the binary frame that goes
// with it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "elements/meta/caption_update.hpp"

namespace seesay::elements {

/// The version of the event format: key `schema`, and part of every topic.
inline constexpr int kEventSchema = 1;
inline constexpr std::string_view kCaptionKind = "caption";
inline constexpr std::string_view kStatusKind = "status";

/// What every event has, whatever its kind.
struct EventHeader {
    std::string stream;
    std::string run_id;
    std::uint64_t sequence = 0;        ///< from 1, per stream, kind and run
    std::int64_t published_at_us = 0;  ///< microseconds since the Unix epoch
};

/// The caption event: keys in the order of the schema. Text is cleaned (`clean_text`). Numbers that
/// JSON does not know are replaced: a log-probability that is not finite by -1000, a confidence by
/// 0. Times that are not known are -1, an unknown arrival (`wall_clock`) is the time of publishing.
/// Throws seesay::Error if the attention does not have one row of L numbers for each token.
nlohmann::ordered_json caption_event(const EventHeader& header, const CaptionUpdate& update);

/// Adds `attention.weights`, `[T][L]` rounded to 4 decimals, to the caption event of `caption`;
/// nothing where the model has no attention.
void add_attention_weights(nlohmann::ordered_json& event, const language::Caption& caption);

/// The caption event's binary frame: attention `[T, L]` as little-endian float16, empty where there
/// is none.
std::string attention_bytes(const language::Caption& caption);

/// A socket of the endpoint, so that receivers find those beside the main one.
struct SocketDescription {
    std::string role;      ///< `events`; later `pictures`, `replay`
    std::string endpoint;  ///< as it is bound
};

/// What a status event says. Counts are since the start of the run.
struct StatusReport {
    bool final = false;          ///< the run's last status
    std::int64_t uptime_ns = 0;  ///< since the start of the run
    std::uint64_t frames = 0;    ///< frames that passed the publisher
    std::uint64_t captions = 0;  ///< caption events made
    std::uint64_t sent = 0;      ///< events of all kinds handed to the socket, this one included
    DroppedCounts dropped;       ///< as the last caption said
    std::uint64_t unsent = 0;    ///< events lost in front of the socket, because its queue was full
    std::uint64_t subscribers = 0;  ///< connections to the endpoint now
    std::vector<SocketDescription> sockets;
};

nlohmann::ordered_json status_event(const EventHeader& header, const StatusReport& report);

/// An event as one line of UTF-8 without the line break.
std::string to_line(const nlohmann::ordered_json& event);

/// The line of an event as it is sent again to late joiners: the same, but `"cached": true`.
/// `line` must come from `to_line` and an event made here.
std::string as_cached(std::string_view line);

}  // namespace seesay::elements
