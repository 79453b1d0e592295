// A filter in front of nlohmann's parser, which by itself keeps the last of several equal keys.
#include "models/weights/strict_json.hpp"

#include <set>
#include <vector>

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

using nlohmann::json;

/// "line 3, column 7" of the byte at `offset` (counted from 1, as the parser counts).
std::string place_of(std::string_view text, std::size_t offset) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i + 1 < offset && i < text.size(); ++i) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n' ? 1 : 0;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

class Watch {
 public:
    Watch(const std::string& origin, int maximum_depth)
        : origin_(origin), maximum_depth_(maximum_depth) {}

    bool operator()(int depth, json::parse_event_t event, const json& parsed) {
        switch (event) {
            case json::parse_event_t::object_start:
            case json::parse_event_t::array_start:
                if (depth >= maximum_depth_) {
                    throw Error(origin_ + ": JSON is nested deeper than " +
                                std::to_string(maximum_depth_) + " levels");
                }
                if (event == json::parse_event_t::object_start) {
                    keys_.emplace_back();
                }
                break;
            case json::parse_event_t::key:
                if (!keys_.back().insert(parsed.get<std::string>()).second) {
                    throw Error(origin_ + ": key " + printable(parsed.get<std::string>()) +
                                " occurs twice in one object");
                }
                break;
            case json::parse_event_t::object_end:
                keys_.pop_back();
                break;
            default:
                break;
        }
        return true;
    }

 private:
    const std::string& origin_;
    int maximum_depth_;
    std::vector<std::set<std::string>> keys_;
};

}  // namespace

json parse_strict_json(std::string_view text, const std::string& origin, int maximum_depth) {
    Watch watch(origin, maximum_depth);
    try {
        return json::parse(text.begin(), text.end(), std::ref(watch));
    } catch (const json::parse_error& error) {
        throw Error(origin + ": is not valid JSON at " + place_of(text, error.byte));
    } catch (const json::exception&) {
        throw Error(origin + ": JSON holds a number that is out of range");
    }
}

}  // namespace seesay::weights
