// Device names, checked against what LibTorch was built with and what the machine has.
#include "models/tensor/device.hpp"

#include <torch/torch.h>

#include <algorithm>

#include "models/error.hpp"

namespace seesay::tensor {
namespace {

int cuda_devices() {
    return torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
}

[[noreturn]] void refuse(const std::string& text) {
    throw Error("device \"" + text + "\" is not one of auto, cpu, cuda, cuda:N");
}

}  // namespace

at::Device parse_device(const std::string& text) {
    if (text == "cpu") return {at::kCPU};
    if (text == "auto") return cuda_devices() > 0 ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
    int index = 0;
    if (text != "cuda") {
        const std::string digits = text.rfind("cuda:", 0) == 0 ? text.substr(5) : "";
        if (digits.empty() || digits.size() > 3 ||
            !std::all_of(digits.begin(), digits.end(),
                         [](char c) { return c >= '0' && c <= '9'; })) {
            refuse(text);
        }
        index = std::stoi(digits);
    }
    const int present = cuda_devices();
    if (present == 0) {
        throw Error("device \"" + text +
                    "\": no CUDA device here (or LibTorch " TORCH_VERSION
                    " was built without CUDA); use --device cpu or auto");
    }
    if (index >= present) {
        throw Error("device \"" + text + "\": this machine has CUDA devices 0 to " +
                    std::to_string(present - 1));
    }
    return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
}

std::vector<std::string> available_devices() {
    std::vector<std::string> names{"cpu"};
    for (int i = 0; i < cuda_devices(); ++i)
        names.push_back("cuda:" + std::to_string(i));
    return names;
}

}  // namespace seesay::tensor
