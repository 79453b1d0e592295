// MappedFile: a whole file, read-only in memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace seesay::weights {

/// Owns a read-only mapping of a regular file; shared by everything that points into it.
class MappedFile {
 public:
    /// Throws Error naming the file if it is missing, not a regular file, or cannot be read.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& file);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
    MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

    const std::byte* data_;
    std::size_t size_;
};

}  // namespace seesay::weights
