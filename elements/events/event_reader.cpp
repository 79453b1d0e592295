// Nothing that arrives is trusted: sizes, nesting and types are checked before they are used.
#include "elements/events/event_reader.hpp"

#include <algorithm>

#include "elements/events/event_json.hpp"
#include "elements/events/stream_name.hpp"
#include "models/error.hpp"

namespace seesay::elements {
namespace {

using nlohmann::ordered_json;

constexpr int kDeepestNesting = 32;
constexpr std::size_t kMostStreams = 4096;  // a sender that invents names must not fill the memory
constexpr std::size_t kMostKinds = 64;
constexpr std::size_t kLongestRunId = 64;

[[noreturn]] void refuse(const std::string& why) {
    throw Error("not an event: " + why);
}

ordered_json parse_object(std::string_view text) {
    const auto limit_depth = [](int depth, ordered_json::parse_event_t, ordered_json&) {
        if (depth > kDeepestNesting) {
            refuse("its JSON is nested too deeply");
        }
        return true;
    };
    ordered_json json;
    try {
        json = ordered_json::parse(text, limit_depth);
    } catch (const ordered_json::exception&) {
        refuse("the second frame is not JSON");
    }
    if (!json.is_object()) {
        refuse("the second frame is not a JSON object");
    }
    return json;
}

const ordered_json& member(const ordered_json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        refuse(std::string("the key \"") + key + "\" is missing");
    }
    return *found;
}

[[noreturn]] void refuse_type(const char* key, const char* type) {
    refuse(std::string("the key \"") + key + "\" is not " + type);
}

std::string text_member(const ordered_json& object, const char* key) {
    const ordered_json& value = member(object, key);
    if (!value.is_string()) {
        refuse_type(key, "text");
    }
    return value.get<std::string>();
}

std::int64_t integer_member(const ordered_json& object, const char* key) {
    const ordered_json& value = member(object, key);
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    if (!fits) {
        refuse_type(key, "an integer");
    }
    return value.get<std::int64_t>();
}

bool flag_member(const ordered_json& object, const char* key) {
    const ordered_json& value = member(object, key);
    if (!value.is_boolean()) {
        refuse_type(key, "true or false");
    }
    return value.get<bool>();
}

const ordered_json& object_member(const ordered_json& object, const char* key) {
    const ordered_json& value = member(object, key);
    if (!value.is_object()) {
        refuse_type(key, "an object");
    }
    return value;
}

void check_attention(const ordered_json& event, std::string_view binary) {
    const ordered_json& attention = member(event, "attention");
    if (attention.is_null()) {
        if (!binary.empty()) {
            refuse("its attention is null, but its binary frame is not empty");
        }
        return;
    }
    const ordered_json& shape = member(object_member(event, "attention"), "shape");
    const auto is_size = [](const ordered_json& value) {
        return value.is_number_unsigned() && value.get<std::uint64_t>() <= 1'000'000;
    };
    if (!shape.is_array() || shape.size() != 2 || !is_size(shape[0]) || !is_size(shape[1])) {
        refuse_type("shape", "two sizes");
    }
    if (binary.size() != shape[0].get<std::uint64_t>() * shape[1].get<std::uint64_t>() * 2) {
        refuse("its binary frame does not have the size that \"shape\" says");
    }
}

void check_caption(const ordered_json& event, std::string_view binary) {
    (void)text_member(event, "text");
    (void)integer_member(event, "pts_ns");
    const ordered_json& segment = object_member(event, "segment");
    for (const char* key : {"id", "start_ns", "end_ns", "revision"}) {
        (void)integer_member(segment, key);
    }
    (void)flag_member(segment, "final");
    check_attention(event, binary);
}

void check_status(const ordered_json& event) {
    (void)flag_member(event, "final");
    const ordered_json& counters = object_member(event, "counters");
    (void)integer_member(counters, "frames");
    (void)integer_member(counters, "captions");
}

}  // namespace

ReceivedEvent EventReader::read(std::span<const std::string_view> frames) {
    if (frames.size() != 3) {
        refuse("it has " + std::to_string(frames.size()) + " frames instead of 3");
    }
    const auto topic = parse_topic(frames[0]);
    if (!topic) {
        refuse("its topic is not seesay/1/<stream>/<kind>/");
    }
    ReceivedEvent event;
    event.json = parse_object(frames[1]);
    if (const auto version = integer_member(event.json, "schema"); version != kEventSchema) {
        refuse("its schema is version " + std::to_string(version) +
               ", this program reads version " + std::to_string(kEventSchema));
    }
    event.stream = text_member(event.json, "stream");
    event.kind = text_member(event.json, "kind");
    if (event.stream != topic->stream || event.kind != topic->kind) {
        refuse("its stream or kind is not that of its topic");
    }
    event.run_id = text_member(event.json, "run_id");
    if (event.run_id.size() > kLongestRunId || !is_stream_name(event.run_id)) {
        refuse("its run id is malformed");
    }
    const std::int64_t sequence = integer_member(event.json, "sequence");
    if (sequence < 1) {
        refuse("its sequence number is below 1");
    }
    event.sequence = static_cast<std::uint64_t>(sequence);
    event.cached = flag_member(event.json, "cached");
    if (event.kind == kCaptionKind) {
        check_caption(event.json, frames[2]);
    } else if (event.kind == kStatusKind) {
        check_status(event.json);
    }
    compare(event);
    return event;
}

void EventReader::compare(ReceivedEvent& event) {
    if (streams_.size() >= kMostStreams && streams_.count(event.stream) == 0) {
        streams_.erase(streams_.begin());
    }
    StreamState& state = streams_[event.stream];
    event.restarted = !state.run_id.empty() && state.run_id != event.run_id;
    if (state.run_id != event.run_id) {
        state.run_id = event.run_id;
        state.last.clear();
    }
    if (state.last.size() >= kMostKinds && state.last.count(event.kind) == 0) {
        state.last.erase(state.last.begin());
    }
    std::uint64_t& last = state.last[event.kind];  // 0: none heard yet
    event.repeated = event.sequence <= last;
    if (!event.repeated) {
        event.lost = last == 0 ? 0 : event.sequence - last - 1;
        last = event.sequence;
    }
}

}  // namespace seesay::elements
