// OutputFile: written under a temporary name, takes its own name only when whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace seesay::weights {

/// Writes `DIR/NAME.part.EXTENSION` and renames it to `DIR/NAME.EXTENSION` in commit(). Without
/// commit() the destructor removes it, so a failure never leaves half a file behind. Throws Error
/// naming the file.
class OutputFile {
 public:
    explicit OutputFile(std::filesystem::path file);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// Flushes to the disk and renames.
    void commit();

 private:
    [[noreturn]] void fail(int error) const;

    std::filesystem::path file_;
    std::filesystem::path part_;
    int descriptor_ = -1;
};

}  // namespace seesay::weights
