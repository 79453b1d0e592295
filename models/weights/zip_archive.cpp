// Reads the central directory from the end; the local headers only say where the data starts.
#include "models/weights/zip_archive.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

constexpr std::uint32_t local_signature = 0x04034B50;
constexpr std::uint32_t directory_signature = 0x02014B50;
constexpr std::uint32_t end_signature = 0x06054B50;
constexpr std::uint32_t end64_signature = 0x06064B50;
constexpr std::uint32_t locator64_signature = 0x07064B50;
constexpr std::size_t end_size = 22;
constexpr std::size_t locator64_size = 20;
constexpr std::size_t end64_size = 56;
constexpr std::size_t directory_entry_size = 46;
constexpr std::size_t local_header_size = 30;
constexpr std::uint64_t largest_inflated = std::uint64_t{2} << 30U;
/// Fuzzers would never get past a checksum.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool verify_checksums = false;
#else
constexpr bool verify_checksums = true;
#endif
/// Deflate cannot do better than this.
constexpr std::uint64_t best_ratio = 1032;

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
    uLong crc = ::crc32(0, nullptr, 0);
    while (!bytes.empty()) {
        const std::size_t block = std::min<std::size_t>(bytes.size(), std::size_t{1} << 30U);
        crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(block));
        bytes = bytes.subspan(block);
    }
    return static_cast<std::uint32_t>(crc);
}

/// Raw deflate into exactly `output`; false if the data does not give that.
bool inflate_into(std::span<const std::byte> input, std::span<std::byte> output) {
    if (input.size() > std::numeric_limits<uInt>::max() ||
        output.size() > std::numeric_limits<uInt>::max()) {
        return false;
    }
    z_stream stream{};
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    Bytef none = 0;  // zlib wants an address even for nothing
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = output.empty() ? &none : reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    const int result = ::inflate(&stream, Z_FINISH);
    const bool whole = result == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
    ::inflateEnd(&stream);
    return whole;
}

}  // namespace

bool ZipArchive::looks_like(std::span<const std::byte> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                                std::min<std::size_t>(bytes.size(), 4));
    return head == "PK\x03\x04" || head == "PK\x05\x06";
}

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                       std::string origin)
    : bytes_(bytes), owner_(std::move(owner)), origin_(std::move(origin)) {
    read_directory();
}

void ZipArchive::fail(const std::string& what) const {
    throw Error(origin_ + ": zip: " + what);
}

std::uint64_t ZipArchive::integer(std::size_t position, std::size_t width) const {
    if (position > bytes_.size() || width > bytes_.size() - position) {
        fail("a header lies outside the file; it is cut or damaged");
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
        value |= std::to_integer<std::uint64_t>(bytes_[position + i]) << (8 * i);
    }
    return value;
}

void ZipArchive::read_directory() {
    // The end record is last, before a comment of at most 65,535 bytes that it announces.
    std::size_t end = bytes_.size();
    bool found = false;
    for (std::size_t back = end_size; !found && back <= bytes_.size() && back <= end_size + 65535;
         ++back) {
        end = bytes_.size() - back;
        found = integer(end, 4) == end_signature && integer(end + 20, 2) == back - end_size;
    }
    if (!found) {
        fail(
            "the end record is missing; the file is cut or has something appended, fetch it again");
    }
    std::uint64_t count = integer(end + 10, 2);
    std::uint64_t size = integer(end + 12, 4);
    directory_offset_ = integer(end + 16, 4);
    if (integer(end + 4, 2) != integer(end + 6, 2) || integer(end + 8, 2) != count) {
        fail("spans several disks");
    }
    std::uint64_t limit = end;
    if (end >= locator64_size && integer(end - locator64_size, 4) == locator64_signature) {
        const std::uint64_t end64 = integer(end - locator64_size + 8, 8);
        if (end64 > end - locator64_size || end - locator64_size - end64 < end64_size ||
            integer(static_cast<std::size_t>(end64), 4) != end64_signature) {
            fail("the ZIP64 end record is damaged");
        }
        count = integer(static_cast<std::size_t>(end64) + 32, 8);
        size = integer(static_cast<std::size_t>(end64) + 40, 8);
        directory_offset_ = integer(static_cast<std::size_t>(end64) + 48, 8);
        limit = end64;
    }
    if (directory_offset_ > limit || size != limit - directory_offset_) {
        fail("the directory does not fit the file; it is cut or damaged");
    }
    if (count > size / directory_entry_size) {
        fail("the directory announces more members than it can hold");
    }
    auto position = static_cast<std::size_t>(directory_offset_);
    for (std::uint64_t i = 0; i < count; ++i) {
        read_directory_entry(position, static_cast<std::size_t>(limit));
    }
    if (position != limit) {
        fail("the directory is damaged");
    }
    std::uint64_t inflated = 0;
    for (const auto& [name, member] : members_) {
        inflated += member.method == 8 ? std::min(member.size, largest_inflated) : 0;
    }
    if (inflated > largest_inflated) {
        fail("its members unpack to more than " + std::to_string(largest_inflated) + " bytes");
    }
}

void ZipArchive::read_directory_entry(std::size_t& position, std::size_t end) {
    if (end - position < directory_entry_size || integer(position, 4) != directory_signature) {
        fail("the directory is damaged");
    }
    Member member;
    member.flags = static_cast<std::uint16_t>(integer(position + 8, 2));
    member.method = static_cast<std::uint16_t>(integer(position + 10, 2));
    member.crc32 = static_cast<std::uint32_t>(integer(position + 16, 4));
    member.compressed = integer(position + 20, 4);
    member.size = integer(position + 24, 4);
    member.header_offset = integer(position + 42, 4);
    const auto name_size = static_cast<std::size_t>(integer(position + 28, 2));
    const auto extra_size = static_cast<std::size_t>(integer(position + 30, 2));
    const auto comment_size = static_cast<std::size_t>(integer(position + 32, 2));
    if (name_size + extra_size + comment_size > end - position - directory_entry_size) {
        fail("the directory is damaged");
    }
    position += directory_entry_size;
    std::string name(reinterpret_cast<const char*>(bytes_.data()) + position, name_size);
    position += name_size;
    // ZIP64: the fields that are all ones follow in the extra field 1, in this order.
    const std::size_t extra_end = position + extra_size;
    for (std::size_t extra = position; extra + 4 <= extra_end;) {
        const std::uint64_t id = integer(extra, 2);
        const std::size_t field_end = extra + 4 + static_cast<std::size_t>(integer(extra + 2, 2));
        std::size_t field = extra + 4;
        if (field_end > extra_end) {
            fail("member " + printable(name) + ": its extra field is damaged");
        }
        for (std::uint64_t* value : {&member.size, &member.compressed, &member.header_offset}) {
            if (id == 1 && *value == 0xFFFFFFFF && field + 8 <= field_end) {
                *value = integer(field, 8);
                field += 8;
            }
        }
        extra = field_end;
    }
    position = extra_end + comment_size;
    if (!members_.emplace(name, member).second) {
        fail("member " + printable(name) + " occurs twice");
    }
}

std::span<const std::byte> ZipArchive::stored_bytes(const std::string& name,
                                                    const Member& member) const {
    const auto bad = [&](const char* what) {
        fail("member " + printable(name) + ": " + what + "; the file is cut or damaged");
    };
    if (member.header_offset > directory_offset_ ||
        directory_offset_ - member.header_offset < local_header_size) {
        bad("lies outside the file");
    }
    const auto header = static_cast<std::size_t>(member.header_offset);
    if (integer(header, 4) != local_signature) {
        bad("has no header");
    }
    const std::uint64_t start = member.header_offset + local_header_size + integer(header + 26, 2) +
                                integer(header + 28, 2);
    if (start > directory_offset_ || member.compressed > directory_offset_ - start) {
        bad("lies outside the file");
    }
    return bytes_.subspan(static_cast<std::size_t>(start),
                          static_cast<std::size_t>(member.compressed));
}

ZipContent ZipArchive::read(const std::string& name) const {
    const auto found = members_.find(name);
    if (found == members_.end()) {
        fail("there is no member " + printable(name) + "; the file is cut or damaged");
    }
    const Member& member = found->second;
    if ((member.flags & 1U) != 0) {
        fail("member " + printable(name) + " is encrypted");
    }
    ZipContent content{stored_bytes(name, member), owner_};
    if (member.method == 8) {
        if (member.size > largest_inflated ||
            member.size > member.compressed * best_ratio + best_ratio) {
            fail("member " + printable(name) + ": unpacks to an impossible size");
        }
        auto buffer =
            std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(member.size));
        if (!inflate_into(content.bytes, *buffer)) {
            fail("member " + printable(name) + ": its compressed data is damaged");
        }
        content = {*buffer, buffer};
    } else if (member.method != 0) {
        fail("member " + printable(name) + ": compression method " + std::to_string(member.method) +
             " is not supported");
    } else if (member.size != member.compressed) {
        fail("member " + printable(name) + ": its sizes contradict each other");
    }
    if (verify_checksums && crc32_of(content.bytes) != member.crc32) {
        fail("member " + printable(name) +
             ": its checksum is wrong; the file is damaged, fetch it again");
    }
    return content;
}

}  // namespace seesay::weights
