// Conversion between stored tensors and LibTorch's: always copies, so that nothing aliases a mapped
// file.
#include "models/weights/torch_tensor.hpp"

#include <torch/torch.h>

#include <cstring>
#include <memory>

#include "models/error.hpp"

namespace seesay::weights {

at::ScalarType scalar_type(DataType type) {
    switch (type) {
        case DataType::Bool:
            return at::kBool;
        case DataType::U8:
            return at::kByte;
        case DataType::I8:
            return at::kChar;
        case DataType::I16:
            return at::kShort;
        case DataType::I32:
            return at::kInt;
        case DataType::I64:
            return at::kLong;
        case DataType::F16:
            return at::kHalf;
        case DataType::BF16:
            return at::kBFloat16;
        case DataType::F32:
            return at::kFloat;
        case DataType::F64:
            return at::kDouble;
    }
    throw Error("tensor of an unknown data type");
}

DataType data_type(at::ScalarType type) {
    switch (type) {
        case at::kBool:
            return DataType::Bool;
        case at::kByte:
            return DataType::U8;
        case at::kChar:
            return DataType::I8;
        case at::kShort:
            return DataType::I16;
        case at::kInt:
            return DataType::I32;
        case at::kLong:
            return DataType::I64;
        case at::kHalf:
            return DataType::F16;
        case at::kBFloat16:
            return DataType::BF16;
        case at::kFloat:
            return DataType::F32;
        case at::kDouble:
            return DataType::F64;
        default:
            break;
    }
    throw Error(std::string("tensors of type ") + c10::toString(type) + " cannot be stored");
}

at::Tensor to_tensor(const NamedTensor& tensor, at::ScalarType wanted) {
    std::size_t bytes = size_of(tensor.type);
    for (const std::int64_t size : tensor.shape) {
        if (size < 0 ||
            (size != 0 && bytes > tensor.bytes.size() / static_cast<std::size_t>(size))) {
            throw Error("tensor \"" + tensor.name + "\": shape and number of bytes disagree");
        }
        bytes *= static_cast<std::size_t>(size);
    }
    if (bytes != tensor.bytes.size()) {
        throw Error("tensor \"" + tensor.name + "\": shape and number of bytes disagree");
    }
    at::Tensor stored = at::empty(tensor.shape, at::TensorOptions(scalar_type(tensor.type)));
    if (bytes != 0) std::memcpy(stored.data_ptr(), tensor.bytes.data(), bytes);
    return stored.to(wanted);
}

NamedTensor from_tensor(const std::string& name, const at::Tensor& tensor, DataType type) {
    const at::Tensor source = tensor.detach().to(at::kCPU);
    auto owner = std::make_shared<at::Tensor>(
        source.to(scalar_type(type), /*non_blocking=*/false, /*copy=*/true).contiguous());
    if (source.is_floating_point() && owner->is_floating_point() &&
        !at::equal(source.isinf(), owner->isinf())) {
        throw Error("tensor \"" + name + "\" holds values too large for " + name_of(type) +
                    "; store it as F32");
    }
    NamedTensor named;
    named.name = name;
    named.type = type;
    named.shape.assign(owner->sizes().begin(), owner->sizes().end());
    named.bytes = {static_cast<const std::byte*>(owner->data_ptr()),
                   static_cast<std::size_t>(owner->numel()) * owner->element_size()};
    named.owner = std::shared_ptr<const void>(owner, owner.get());
    return named;
}

}  // namespace seesay::weights
