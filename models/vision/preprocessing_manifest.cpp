// The object `preprocessing` of an encoder package, checked key by key.
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::vision {
namespace {

[[noreturn]] void refuse(const std::string& origin, const std::string& key,
                         const std::string& wanted) {
    throw Error(origin + ": preprocessing." + key + " must be " + wanted);
}

int read_side(const nlohmann::json& value, const std::string& origin, const std::string& key) {
    if (!value.is_number_integer() || value < 1 || value > 4096) {
        refuse(origin, key, "a whole number from 1 to 4096");
    }
    return value.get<int>();
}

std::array<float, 3> read_colour(const nlohmann::json& value, const std::string& origin,
                                 const std::string& key, float lowest) {
    const std::string wanted =
        "three numbers (R, G, B) from " + std::string(lowest > 0 ? "above 0" : "0") + " to 255";
    if (!value.is_array() || value.size() != 3) refuse(origin, key, wanted);
    std::array<float, 3> colour{};
    for (std::size_t c = 0; c < 3; ++c) {
        if (!value[c].is_number()) refuse(origin, key, wanted);
        colour[c] = value[c].get<float>();
        if (!(colour[c] >= lowest && colour[c] <= 255.F)) refuse(origin, key, wanted);
    }
    return colour;
}

Fit read_fit(const nlohmann::json& value, const std::string& origin) {
    if (value == "squeeze") return Fit::Squeeze;
    if (value == "crop") return Fit::Crop;
    if (value == "letterbox") return Fit::Letterbox;
    refuse(origin, "fit", "\"squeeze\", \"crop\" or \"letterbox\"");
}

}  // namespace

Preprocessing parse_preprocessing(const nlohmann::json& object, const std::string& origin) {
    if (!object.is_object()) throw Error(origin + ": preprocessing must be an object");
    Preprocessing result;
    for (const auto& [key, value] : object.items()) {
        if (key == "width") {
            result.width = read_side(value, origin, key);
        } else if (key == "height") {
            result.height = read_side(value, origin, key);
        } else if (key == "fit") {
            result.fit = read_fit(value, origin);
        } else if (key == "mean") {
            result.mean = read_colour(value, origin, key, 0.F);
        } else if (key == "deviation") {
            result.deviation = read_colour(value, origin, key, 1e-6F);
        } else if (key == "fill") {
            const auto colour = read_colour(value, origin, key, 0.F);
            for (std::size_t c = 0; c < 3; ++c)
                result.fill[c] = static_cast<std::uint8_t>(std::lround(colour[c]));
        } else if (key == "blue_first") {
            if (!value.is_boolean()) refuse(origin, key, "true or false");
            result.blue_first = value.get<bool>();
        } else {
            throw Error(origin + ": unknown key preprocessing." + key);
        }
    }
    return result;
}

}  // namespace seesay::vision
