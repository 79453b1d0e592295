// The receiving side of the event stream: checks what arrives, and tells loss from restart and
// repetition.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace seesay::elements {

/// An event that holds to the format, and what its number says.
struct ReceivedEvent {
    std::string stream;
    std::string kind;
    std::string run_id;
    std::uint64_t sequence = 0;
    bool cached = false;
    bool repeated = false;   ///< its number was seen before: nothing new in it
    bool restarted = false;  ///< the first event heard of another run of the stream
    std::uint64_t lost =
        0;  ///< events of this stream, kind and run that are missing before this one
    nlohmann::ordered_json json;  ///< all of it, keys in the order of the sender
};

/// Follows all streams of a subscription. What a late joiner missed before the first event is no
/// loss.
class EventReader {
 public:
    /// The frames of one message. For kinds that this version knows, the keys that its schema
    /// requires and that readers of ours use are checked; other kinds only have their common keys
    /// checked. Throws seesay::Error saying what is wrong with a message that is no event of
    /// version 1.
    ReceivedEvent read(std::span<const std::string_view> frames);

 private:
    struct StreamState {
        std::string run_id;
        std::map<std::string, std::uint64_t> last;  ///< sequence by kind
    };
    void compare(ReceivedEvent& event);

    std::map<std::string, StreamState> streams_;
};

}  // namespace seesay::elements
