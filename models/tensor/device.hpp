// Where a network computes: "auto", "cpu", "cuda" or "cuda:N" as users write it.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace seesay::tensor {

/// The device that `text` names: `auto` is the first CUDA device where there is one, else the CPU.
/// Throws Error for any other text, and for a CUDA device that this LibTorch or this machine does
/// not have.
at::Device parse_device(const std::string& text);

/// "cpu" and, for each CUDA device that LibTorch can use, "cuda:N".
std::vector<std::string> available_devices();

}  // namespace seesay::tensor
