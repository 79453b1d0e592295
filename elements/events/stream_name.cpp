// The one place that knows how a topic is spelled.
#include "elements/events/stream_name.hpp"

#include <algorithm>

namespace seesay::elements {
namespace {

constexpr std::string_view kPrefix = "seesay/1/";
constexpr std::size_t kLongestName = 64;

bool is_allowed(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool is_kind(std::string_view kind) {
    return !kind.empty() && kind.size() <= kLongestName &&
           std::all_of(kind.begin(), kind.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

bool is_stream_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestName &&
           std::all_of(name.begin(), name.end(), is_allowed);
}

std::string stream_name_from(std::string_view text) {
    std::string name;
    for (const char c : text) {
        if (name.size() == kLongestName) {
            break;
        }
        const bool continues_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (is_allowed(c)) {
            name += c;
        } else if (!continues_character) {
            name += '_';
        }
    }
    return name.empty() ? "_" : name;
}

std::string topic_prefix(std::string_view stream) {
    std::string prefix(kPrefix);
    if (!stream.empty()) {
        prefix += stream;
        prefix += '/';
    }
    return prefix;
}

std::string topic_for(std::string_view stream, std::string_view kind) {
    std::string topic = topic_prefix(stream);
    topic += kind;
    topic += '/';
    return topic;
}

std::optional<Topic> parse_topic(std::string_view topic) {
    if (!topic.starts_with(kPrefix) || !topic.ends_with('/')) {
        return std::nullopt;
    }
    topic.remove_prefix(kPrefix.size());
    const std::size_t slash = topic.find('/');
    if (slash == std::string_view::npos || slash + 1 >= topic.size()) {
        return std::nullopt;
    }
    const std::string_view stream = topic.substr(0, slash);
    const std::string_view kind = topic.substr(slash + 1, topic.size() - slash - 2);
    if (!is_stream_name(stream) || !is_kind(kind)) {
        return std::nullopt;
    }
    return Topic{std::string(stream), std::string(kind)};
}

}  // namespace seesay::elements
