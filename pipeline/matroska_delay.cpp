// EBML by hand: an element is an id, a length and that many bytes (RFC 8794; Matroska RFC 9559).
#include "pipeline/matroska_delay.hpp"

#include <cstdio>
#include <fstream>
#include <string_view>

namespace seesay::pipeline {
namespace {

constexpr std::string_view kName("\x53\x6E", 2);
constexpr std::string_view kCodecDelay("\x56\xAA", 2);
constexpr char kVoid = '\xEC';
constexpr std::size_t kHeaderBytes = 4U
                                     << 20;  // fonts and other attachments come behind the tracks

// A length in its shortest form, as libavformat writes it.
std::string length(std::size_t size) {
    if (size < 0x7F) return std::string(1, static_cast<char>(0x80 | size));
    return {static_cast<char>(0x40 | size >> 8), static_cast<char>(size)};
}

}  // namespace

std::string delay_marker(int track) {
    char text[40];
    std::snprintf(text, sizeof text, "<seesay delay of track %04d>", track);
    return text;
}

bool replace_delay_marker(const std::filesystem::path& path, int track, std::int64_t delay_ns) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    std::string head(kHeaderBytes, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    file.clear();
    const std::string marker = delay_marker(track);
    const std::size_t found = head.find(marker);
    if (found == std::string::npos) {
        return false;
    }
    // Back to the start of the name element whose content ends with the marker.
    const std::size_t end = found + marker.size();
    std::size_t start = std::string::npos;
    std::string name;
    for (std::size_t before = 0; before <= 0x3000 && before <= found; ++before) {
        const std::string element = std::string(kName) + length(before + marker.size());
        if (found < before + element.size()) break;
        const std::size_t place = found - before - element.size();
        if (head.compare(place, element.size(), element) == 0) {
            start = place;
            name = head.substr(found - before, before);
            break;
        }
    }
    if (start == std::string::npos) {
        return false;
    }
    std::string replacement;
    if (!name.empty()) replacement = std::string(kName) + length(name.size()) + name;
    replacement += std::string(kCodecDelay) + length(4);
    for (int shift = 24; shift >= 0; shift -= 8)
        replacement += static_cast<char>(delay_ns >> shift);
    const std::size_t rest = end - start - replacement.size();
    replacement += kVoid + length(rest - 2) + std::string(rest - 2, '\0');
    file.seekp(static_cast<std::streamoff>(start));
    file.write(replacement.data(), static_cast<std::streamsize>(replacement.size()));
    return static_cast<bool>(file.flush());
}

}  // namespace seesay::pipeline
