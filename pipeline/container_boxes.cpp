// Walks over ISO boxes, EBML elements and RIFF chunks at the top level.
#include "pipeline/container_boxes.hpp"

#include <array>
#include <fstream>
#include <optional>

#include "models/error.hpp"

namespace seesay::pipeline {
namespace {

struct Box {
    std::string type;
    std::uint64_t start = 0;    ///< of the header
    std::uint64_t content = 0;  ///< of what follows it
    std::uint64_t end = 0;      ///< as the header promises
};

std::uint64_t big_endian(const unsigned char* bytes, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
        value = value << 8 | bytes[i];
    return value;
}

/// A file read at given places.
class Bytes {
 public:
    explicit Bytes(const std::filesystem::path& file) : file_(file, std::ios::binary) {
        file_.seekg(0, std::ios::end);
        size_ = file_ ? static_cast<std::uint64_t>(file_.tellg()) : 0;
    }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    bool read(std::uint64_t place, unsigned char* target, int count) {
        if (place + count > size_) return false;
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(place));
        file_.read(reinterpret_cast<char*>(target), count);
        return file_.gcount() == count;
    }

 private:
    std::ifstream file_;
    std::uint64_t size_ = 0;
};

std::optional<Box> read_box(Bytes& file, std::uint64_t place, std::uint64_t limit) {
    std::array<unsigned char, 16> header{};
    if (place + 8 > limit || !file.read(place, header.data(), 8)) return std::nullopt;
    Box box{std::string(reinterpret_cast<const char*>(header.data()) + 4, 4), place, place + 8, 0};
    std::uint64_t size = big_endian(header.data(), 4);
    if (size == 1 && file.read(place, header.data(), 16)) {
        size = big_endian(header.data() + 8, 8);
        box.content = place + 16;
    }
    if (size == 0) size = limit - place;  // to the end of the file
    if (size < box.content - place) return std::nullopt;
    box.end = place + size;
    return box;
}

std::string ends_early(const std::string& what, std::uint64_t promised, std::uint64_t size) {
    return what + " should reach to byte " + std::to_string(promised) + ", but the file ends at " +
           std::to_string(size);
}

std::string missing_in_iso(Bytes& file) {
    for (std::uint64_t place = 0; place < file.size();) {
        const auto box = read_box(file, place, file.size());
        if (!box)
            return file.size() - place < 8 ? ends_early("its last box", place + 8, file.size())
                                           : std::string();
        if (box->end > file.size())
            return ends_early("its box `" + box->type + "`", box->end, file.size());
        place = box->end;
    }
    return {};
}

// An EBML number with its length marker; `is_id` keeps the marker. Nothing for an unknown size (all
// ones).
std::optional<std::uint64_t> ebml_number(Bytes& file, std::uint64_t& place, bool is_id) {
    std::array<unsigned char, 8> bytes{};
    if (!file.read(place, bytes.data(), 1) || bytes[0] == 0) return std::nullopt;
    int length = 1;
    while ((bytes[0] & (0x80 >> (length - 1))) == 0)
        ++length;
    if (!file.read(place, bytes.data(), length)) return std::nullopt;
    std::uint64_t value = big_endian(bytes.data(), length);
    place += length;
    if (is_id) return value;
    const std::uint64_t ones = (std::uint64_t{1} << (7 * length)) - 1;
    value &= ones;
    return value == ones ? std::nullopt : std::optional(value);
}

std::string missing_in_matroska(Bytes& file) {
    constexpr std::uint64_t kSegment = 0x18538067;
    for (std::uint64_t place = 0; place < file.size();) {
        const auto id = ebml_number(file, place, true);
        const auto size = id ? ebml_number(file, place, false) : std::nullopt;
        if (!size) return {};
        if (place + *size > file.size() && *id == kSegment)
            return ends_early("its segment", place + *size, file.size());
        place += *size;
    }
    return {};
}

}  // namespace

std::string missing_data(const std::filesystem::path& path) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
        return {};
    }
    Bytes file(path);
    std::array<unsigned char, 12> head{};
    if (!file.read(0, head.data(), static_cast<int>(head.size()))) {
        return {};
    }
    const std::string type(reinterpret_cast<const char*>(head.data()) + 4, 4);
    if (type == "ftyp" || type == "moov" || type == "mdat" || type == "wide" || type == "free" ||
        type == "skip") {
        return missing_in_iso(file);
    }
    if (big_endian(head.data(), 4) == 0x1A45DFA3) {
        return missing_in_matroska(file);
    }
    if (std::string(reinterpret_cast<const char*>(head.data()), 4) == "RIFF") {
        const std::uint64_t size =
            head[4] | head[5] << 8 | head[6] << 16 | std::uint64_t{head[7]} << 24;
        return size != 0 && size != 0xFFFFFFFF && size + 8 > file.size()
                   ? ends_early("its RIFF chunk", size + 8, file.size())
                   : std::string();
    }
    return {};
}

void set_enabled_tracks(const std::filesystem::path& path, const std::vector<int>& enabled) {
    std::vector<std::uint64_t> flags;  // places of the lowest flag byte of each track header
    {
        Bytes file(path);
        const auto find = [&file](const std::string& type, std::uint64_t place, std::uint64_t end,
                                  auto found) {
            while (const auto box = read_box(file, place, end)) {
                if (box->type == type) found(*box);
                place = box->end;
            }
        };
        find("moov", 0, file.size(), [&](const Box& movie) {
            find("trak", movie.content, movie.end, [&](const Box& track) {
                find("tkhd", track.content, track.end,
                     [&](const Box& header) { flags.push_back(header.content + 3); });
            });
        });
    }
    if (flags.size() < enabled.size()) {
        throw Error(path.string() + ": has " + std::to_string(flags.size()) + " tracks, " +
                    std::to_string(enabled.size()) + " were written");
    }
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    for (std::size_t i = 0; i < enabled.size(); ++i) {
        if (enabled[i] < 0) continue;
        file.seekg(static_cast<std::streamoff>(flags[i]));
        const int byte = file.get();
        file.seekp(static_cast<std::streamoff>(flags[i]));
        file.put(static_cast<char>(enabled[i] != 0 ? byte | 1 : byte & ~1));
    }
    if (!file.flush()) {
        throw Error(path.string() + ": its track flags cannot be written");
    }
}

}  // namespace seesay::pipeline
