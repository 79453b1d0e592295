// Each getter states what it wants, so that a message can say it.
#include "models/weights/json_fields.hpp"

#include <algorithm>
#include <cmath>

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

/// The value as a message shows it.
std::string shown(const nlohmann::json& value) {
    switch (value.type()) {
        case nlohmann::json::value_t::object:
            return "an object";
        case nlohmann::json::value_t::array:
            return "a list";
        case nlohmann::json::value_t::string:
            return printable(value.get<std::string>());
        default:
            return value.dump();
    }
}

/// A limit as short as it can be written.
std::string shown(double value) {
    return nlohmann::json(value).dump();
}

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string origin, std::string prefix)
    : object_(object), origin_(std::move(origin)), prefix_(std::move(prefix)) {
    if (!object.is_object()) {
        throw Error(origin_ + ": " +
                    (prefix_.empty() ? std::string("the document") : "key " + printable(prefix_)) +
                    " must be an object, is " + shown(object));
    }
}

void JsonFields::fail(const std::string& key, const std::string& what) const {
    throw Error(origin_ + ": key " + printable(prefix_.empty() ? key : prefix_ + "." + key) + " " +
                what);
}

const nlohmann::json& JsonFields::at(const std::string& key, const char* wanted) const {
    const auto found = object_.find(key);
    if (found == object_.end()) {
        fail(key, std::string("is missing (") + wanted + ")");
    }
    return *found;
}

std::string JsonFields::string(const std::string& key) const {
    const nlohmann::json& value = at(key, "a string");
    if (!value.is_string()) {
        fail(key, "must be a string, is " + shown(value));
    }
    return value.get<std::string>();
}

std::string JsonFields::choice(const std::string& key,
                               const std::vector<std::string>& choices) const {
    std::string value = string(key);
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        std::string list;
        for (const std::string& choice : choices) {
            list += (list.empty() ? "" : ", ") + choice;
        }
        fail(key, "must be one of " + list + ", is " + printable(value));
    }
    return value;
}

std::int64_t JsonFields::integer(const std::string& key, std::int64_t minimum,
                                 std::int64_t maximum) const {
    const nlohmann::json& value = at(key, "an integer");
    const bool fits = value.is_number_integer() &&
                      !(value.is_number_unsigned() &&
                        value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
    if (!fits || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > maximum) {
        fail(key, "must be an integer from " + std::to_string(minimum) + " to " +
                      std::to_string(maximum) + ", is " + shown(value));
    }
    return value.get<std::int64_t>();
}

double JsonFields::number(const std::string& key, double minimum, double maximum) const {
    const nlohmann::json& value = at(key, "a number");
    if (!value.is_number() || !(value.get<double>() >= minimum) ||
        !(value.get<double>() <= maximum)) {
        fail(key, "must be a number from " + shown(minimum) + " to " + shown(maximum) + ", is " +
                      shown(value));
    }
    return value.get<double>();
}

bool JsonFields::boolean(const std::string& key) const {
    const nlohmann::json& value = at(key, "true or false");
    if (!value.is_boolean()) {
        fail(key, "must be true or false, is " + shown(value));
    }
    return value.get<bool>();
}

std::vector<double> JsonFields::numbers(const std::string& key, std::size_t count) const {
    const nlohmann::json& value = at(key, "a list of numbers");
    const bool valid = value.is_array() && value.size() == count &&
                       std::all_of(value.begin(), value.end(), [](const nlohmann::json& item) {
                           return item.is_number() && std::isfinite(item.get<double>());
                       });
    if (!valid) {
        fail(key, "must be a list of " + std::to_string(count) + " numbers");
    }
    return value.get<std::vector<double>>();
}

JsonFields JsonFields::object(const std::string& key) const {
    return {at(key, "an object"), origin_, prefix_.empty() ? key : prefix_ + "." + key};
}

}  // namespace seesay::weights
