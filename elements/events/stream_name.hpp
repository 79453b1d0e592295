// Names of streams, and the topics that events of a stream are published under.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seesay::elements {

/// True for 1–64 characters out of `A–Z a–z 0–9 . _ -`.
bool is_stream_name(std::string_view name);

/// A valid name made from any text: each character (not byte) outside the allowed set becomes `_`,
/// what is longer than 64 is cut, and empty text becomes `_`. For an input file, pass its base
/// name.
std::string stream_name_from(std::string_view text);

/// What a topic says: `seesay/1/<stream>/<kind>/`. It ends in the separator, so that a subscription
/// to one stream never matches another whose name merely begins the same way.
struct Topic {
    std::string stream;
    std::string kind;  ///< `caption`, `status`, …: lower-case letters
};

std::string topic_for(std::string_view stream, std::string_view kind);
/// The prefix of all topics of one stream; of all streams if `stream` is empty.
std::string topic_prefix(std::string_view stream);
/// Nothing if `topic` is not one of ours.
std::optional<Topic> parse_topic(std::string_view topic);

}  // namespace seesay::elements
