// Each reader is driven to the end: every tensor byte is read, every message is one line.
#include "tests/fuzz/readers.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "models/error.hpp"
#include "models/language/vocabulary.hpp"
#include "models/weights/checkpoint.hpp"
#include "models/weights/finite.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/safetensors.hpp"

namespace seesay::fuzz {
namespace {

/// Stops the program where a promise is broken; fuzzers and GoogleTest both report that.
void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void look_at(const weights::NamedTensor& tensor) {
    require(static_cast<std::size_t>(tensor.count()) * weights::size_of(tensor.type) ==
            tensor.bytes.size());
    (void)weights::first_non_finite(tensor);
    volatile std::byte sum{};
    for (const std::byte byte : tensor.bytes) {
        sum = sum ^ byte;
    }
}

void read_safetensors(std::span<const std::byte> bytes) {
    const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    const auto file = weights::Safetensors::parse(copy, "f");
    for (const auto& [name, tensor] : file.tensors()) {
        look_at(tensor);
    }
}

void read_checkpoint(std::span<const std::byte> bytes) {
    const auto checkpoint = weights::Checkpoint::parse(bytes, nullptr, "f");
    for (const weights::NamedTensor& tensor : checkpoint.tensors()) {
        look_at(tensor);
    }
    (void)checkpoint.top_level_keys();
    (void)checkpoint.prefixes_of("weight");
}

void read_manifest(std::span<const std::byte> bytes) {
    const auto manifest = weights::parse_manifest(text_of(bytes), "f");
    require(weights::is_package_name(manifest.name));
    require(manifest.files.contains(weights::weights_name));
}

void read_vocabulary(std::span<const std::byte> bytes) {
    const auto vocabulary = language::Vocabulary::parse(text_of(bytes), "f");
    require(language::Vocabulary::parse(vocabulary.to_json(), "g").tokens() == vocabulary.tokens());
}

Reader guarded(void (*reader)(std::span<const std::byte>)) {
    return [reader](std::span<const std::byte> bytes) {
        try {
            reader(bytes);
        } catch (const Error& error) {
            const std::string_view message(error.what());
            require(message.starts_with("f") && message.find('\n') == std::string_view::npos);
        }
    };
}

}  // namespace

const std::map<std::string, Reader>& readers() {
    static const std::map<std::string, Reader> all{
        {"checkpoint", guarded(read_checkpoint)},
        {"manifest", guarded(read_manifest)},
        {"safetensors", guarded(read_safetensors)},
        {"vocabulary", guarded(read_vocabulary)},
    };
    return all;
}

}  // namespace seesay::fuzz
