// From the objects of a checkpoint to tensors: PyTorch's rebuild calls, parameters, NumPy arrays.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/weights/named_tensor.hpp"
#include "models/weights/pickle_value.hpp"
#include "models/weights/storage.hpp"

namespace seesay::weights {

/// Every tensor under `root`, named as Checkpoint::tensors says. At most `copy_limit` bytes are
/// copied for tensors that are not contiguous in their storage. Throws Error, starting with
/// `origin`, for tensors that do not fit their storage.
std::vector<NamedTensor> collect_tensors(const PickleValue& root, StorageSource& storages,
                                         const std::string& origin, std::size_t copy_limit);

/// Turns single objects into tensors.
class TensorBuilder {
 public:
    TensorBuilder(StorageSource& storages, const std::string& origin, std::size_t copy_limit)
        : storages_(storages), origin_(origin), copy_left_(copy_limit) {}

    /// The tensor that `value` is, under `name`; nothing if it is something else.
    std::optional<NamedTensor> build(const PickleValue& value, const std::string& name);

 private:
    [[noreturn]] void fail(const std::string& tensor, const std::string& what) const;
    NamedTensor rebuild(const PickleValue& call, const std::string& name);
    std::optional<NamedTensor> numpy_array(const PickleValue& array, const std::string& name);
    std::vector<std::int64_t> sizes(const PickleValue& tuple, const std::string& name) const;
    void slice(NamedTensor& tensor, const Storage& storage, std::uint64_t offset,
               const std::vector<std::int64_t>& strides);
    void copy_strided(NamedTensor& tensor, std::span<const std::byte> bytes,
                      const std::vector<std::int64_t>& strides);

    StorageSource& storages_;
    const std::string& origin_;
    std::size_t copy_left_;
};

}  // namespace seesay::weights
