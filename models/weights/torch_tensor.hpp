// Between tensors as files hold them (NamedTensor) and LibTorch's.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "models/weights/named_tensor.hpp"

namespace seesay::weights {

/// A tensor of `tensor.shape` on the CPU that owns its memory, converted to `wanted`. Throws Error
/// if the bytes do not fit the shape.
at::Tensor to_tensor(const NamedTensor& tensor, at::ScalarType wanted);

/// `tensor` (any device, layout and type) as contiguous CPU bytes of `type`, which the result owns.
/// Throws Error where a finite value becomes infinite in `type` (float16 ends at 65504).
NamedTensor from_tensor(const std::string& name, const at::Tensor& tensor, DataType type);

/// The LibTorch type that holds `type`, and the reverse (which throws Error for a type that files
/// cannot hold).
at::ScalarType scalar_type(DataType type);
DataType data_type(at::ScalarType type);

}  // namespace seesay::weights
