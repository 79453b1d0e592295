// Looks for the marks of a second picture.
#include "elements/source/still_picture.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace seesay::elements {
namespace {

// A JPEG that is followed by another is a film of JPEGs, unless it says (MPF) that it is a picture
// of several parts.
bool is_motion_jpeg(std::string_view bytes) {
    std::size_t place = 2;
    while (place + 4 <= bytes.size() && bytes[place] == '\xFF' && bytes[place + 1] != '\xDA') {
        const auto size =
            static_cast<std::size_t>(static_cast<unsigned char>(bytes[place + 2]) << 8 |
                                     static_cast<unsigned char>(bytes[place + 3]));
        if (bytes[place + 1] == '\xE2' && bytes.substr(place + 4, 3) == "MPF") return false;
        place += 2 + size;
    }
    const auto next = bytes.find("\xFF\xD8\xFF", std::min(place, bytes.size()));
    return next != std::string_view::npos;
}

}  // namespace

bool is_animated_picture(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string head(8U << 20, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    const std::string_view bytes(head.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.starts_with("\xFF\xD8\xFF")) {
        return is_motion_jpeg(bytes);
    }
    if (bytes.starts_with("\x89PNG")) {
        const auto control = bytes.find("acTL");
        return control != std::string_view::npos && control < bytes.find("IDAT");
    }
    constexpr unsigned kAnimationFlag = 0x02;
    return bytes.size() > 20 && bytes.substr(8, 8) == "WEBPVP8X" &&
           (static_cast<unsigned char>(bytes[20]) & kAnimationFlag) != 0;
}

}  // namespace seesay::elements
