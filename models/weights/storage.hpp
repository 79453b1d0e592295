// Storages: the flat arrays that a checkpoint's tensors are views of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/weights/named_tensor.hpp"
#include "models/weights/pickle_value.hpp"

namespace seesay::weights {

/// Bytes of one storage and who keeps them.
struct Storage {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

/// A persistent id ('storage', type, key, location, count[, view]), taken apart.
struct StorageReference {
    std::string key;
    std::optional<DataType> type;   ///< none: untyped, the tensor says what its elements are
    std::uint64_t count = 0;        ///< elements (bytes where untyped) of the whole storage
    std::uint64_t view_offset = 0;  ///< elements; a legacy file may refer to a part of a storage
    std::uint64_t view_count = 0;   ///< elements that can be seen
};

/// Where a container keeps its storages.
class StorageSource {
 public:
    virtual ~StorageSource() = default;
    /// All bytes of a storage. Throws Error if it is missing or shorter than its count.
    virtual Storage find(const StorageReference& reference) = 0;
};

/// Element type of "torch FloatStorage" and its like.
std::optional<DataType> storage_type(std::string_view global);
/// Element type of "torch float32" and its like.
std::optional<DataType> tensor_type(std::string_view global);

/// Takes a persistent id apart; throws Error, starting with `origin`, if it is not a storage's.
StorageReference storage_reference(const PickleValue& persistent, const std::string& origin);

}  // namespace seesay::weights
