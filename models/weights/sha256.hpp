// SHA-256 of bytes and files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace seesay::weights {

/// A running SHA-256.
class Sha256 {
 public:
    Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    ~Sha256();

    void update(std::span<const std::byte> bytes);
    void update(std::string_view text);
    /// 64 lower-case hexadecimal digits. Ends the sum: call once.
    [[nodiscard]] std::string finish();

 private:
    struct Context;
    std::unique_ptr<Context> context_;
};

/// 64 lower-case hexadecimal digits.
std::string sha256_of(std::span<const std::byte> bytes);
std::string sha256_of(std::string_view text);

/// The same of a file, read in pieces. Throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);

/// Whether `text` is 64 lower-case hexadecimal digits.
bool is_sha256(std::string_view text);

}  // namespace seesay::weights
