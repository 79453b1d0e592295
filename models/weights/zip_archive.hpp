// ZipArchive: members of a zip file (stored or deflated, ZIP64) with every bound and checksum
// checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace seesay::weights {

/// The content of one member: a view into the archive if it is stored, else a buffer of its own.
struct ZipContent {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

/// An archive in memory that `owner` keeps alive.
class ZipArchive {
 public:
    struct Member {
        std::uint64_t header_offset = 0;
        std::uint64_t compressed = 0;
        std::uint64_t size = 0;
        std::uint32_t crc32 = 0;
        std::uint16_t method = 0;
        std::uint16_t flags = 0;
    };

    /// Whether the bytes begin as a zip file does.
    static bool looks_like(std::span<const std::byte> bytes);
    /// Reads the directory. Throws Error, starting with `origin`, if it is cut or damaged.
    ZipArchive(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
               std::string origin);

    [[nodiscard]] const std::map<std::string, Member>& members() const { return members_; }
    [[nodiscard]] bool contains(const std::string& name) const { return members_.contains(name); }
    /// Content with its CRC-32 verified. Throws Error for a missing, damaged, encrypted or oddly
    /// compressed member.
    [[nodiscard]] ZipContent read(const std::string& name) const;

 private:
    [[noreturn]] void fail(const std::string& what) const;
    void read_directory();
    void read_directory_entry(std::size_t& position, std::size_t end);
    [[nodiscard]] std::uint64_t integer(std::size_t position, std::size_t width) const;
    [[nodiscard]] std::span<const std::byte> stored_bytes(const std::string& name,
                                                          const Member& member) const;

    std::span<const std::byte> bytes_;
    std::shared_ptr<const void> owner_;
    std::string origin_;
    std::map<std::string, Member> members_;
    std::uint64_t directory_offset_ = 0;
};

}  // namespace seesay::weights
