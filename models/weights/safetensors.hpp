// safetensors: memory-mapped reader with every bound checked, and a writer.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/weights/named_tensor.hpp"

namespace seesay::weights {

/// An opened file. Copies share the mapping.
class Safetensors {
 public:
    Safetensors() = default;
    /// Maps `file` and checks header, types, shapes, overlaps and bounds. Throws Error.
    static Safetensors open(const std::filesystem::path& file);
    /// The same over bytes in memory (tests, fuzzers). `origin` is used in messages.
    static Safetensors parse(std::shared_ptr<const std::vector<std::byte>> bytes,
                             const std::string& origin);

    [[nodiscard]] const std::map<std::string, NamedTensor>& tensors() const { return tensors_; }
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
    /// The tensor of that name; throws Error naming the file if there is none.
    [[nodiscard]] const NamedTensor& at(const std::string& name) const;
    [[nodiscard]] bool contains(const std::string& name) const { return tensors_.count(name) != 0; }
    [[nodiscard]] const std::string& origin() const { return origin_; }

 private:
    std::string origin_;
    std::map<std::string, NamedTensor> tensors_;
    std::map<std::string, std::string> metadata_;
};

/// Writes tensors in the given order, back to back; the data section starts at a multiple of 8.
/// Throws Error; nothing is left under `file` on failure.
void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace seesay::weights
