// NamedTensor: a tensor as checkpoint files hold it. Knows nothing of LibTorch (models/tensor/
// converts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace seesay::weights {

enum class DataType { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64 };

/// Bytes of one element.
std::size_t size_of(DataType type);
/// "F32" and so on, as safetensors spells it.
const char* name_of(DataType type);

/// Contiguous, row-major, little-endian. `bytes` points into memory that `owner` keeps alive (a
/// mapped file, a buffer).
struct NamedTensor {
    std::string name;
    DataType type = DataType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;

    /// Product of the shape.
    [[nodiscard]] std::int64_t count() const;
};

}  // namespace seesay::weights
