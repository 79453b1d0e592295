// The formula: FNV-1a of the name seeds SplitMix64, 24 bits a value.
#include "tests/vision/seeded_weights.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

namespace seesay::vision {
namespace {

std::uint64_t splitmix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

std::vector<float> seeded_values(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::uint64_t state = 0xCBF29CE484222325ULL;
    for (const char byte : name)
        state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        state += 0x9E3779B97F4A7C15ULL;
        const double uniform = static_cast<double>(splitmix(state) >> 40) / (1 << 24);
        if (shape.size() == 4) {
            const auto fan_in = static_cast<double>(shape[1] * shape[2] * shape[3]);
            value = static_cast<float>((uniform - 0.5) * 2 * std::sqrt(3.0 / fan_in));
        } else if (ends_with_any(name, {".weight", ".running_var"})) {
            value = static_cast<float>(uniform + 0.5);
        } else {
            value = static_cast<float>((uniform - 0.5) * 0.5);
        }
    }
    return values;
}

std::vector<weights::NamedTensor> seeded_tensors(const EfficientNetLiteSizes& sizes) {
    std::vector<weights::NamedTensor> tensors;
    for (const auto& [name, shape] : efficientnet_lite_tensors(sizes)) {
        auto values = std::make_shared<std::vector<float>>(seeded_values(name, shape));
        tensors.push_back(
            {name, weights::DataType::F32, shape, std::as_bytes(std::span(*values)), values});
    }
    return tensors;
}

weights::Safetensors seeded_file(const std::vector<weights::NamedTensor>& tensors) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("seesay_seeded_" + std::to_string(getpid()) + ".safetensors");
    weights::write_safetensors(file, tensors);
    weights::Safetensors opened = weights::Safetensors::open(file);
    std::filesystem::remove(file);  // the mapping stays
    return opened;
}

}  // namespace seesay::vision
