// Conversion between stored tensors and LibTorch's.
#include "models/weights/torch_tensor.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstring>
#include <limits>

#include "models/error.hpp"

namespace seesay::weights {
namespace {

TEST(TorchTensor, KeepsEveryTypeThroughARoundTrip) {
    const at::Tensor values = at::tensor({0.0, 1.0, 2.0, 3.0, 100.0, 1.0}).reshape({2, 3});
    for (const DataType type :
         {DataType::U8, DataType::I8, DataType::I16, DataType::I32, DataType::I64, DataType::F16,
          DataType::BF16, DataType::F32, DataType::F64}) {
        const NamedTensor named = from_tensor("t", values, type);
        EXPECT_EQ(named.shape, (std::vector<std::int64_t>{2, 3}));
        EXPECT_EQ(named.bytes.size(), 6 * size_of(type));
        EXPECT_TRUE(at::equal(to_tensor(named, at::kDouble), values)) << name_of(type);
        EXPECT_EQ(data_type(scalar_type(type)), type);
    }
}

TEST(TorchTensor, OwnsItsMemory) {
    at::Tensor converted;
    {
        std::vector<float> values{1.F, 2.F};
        const NamedTensor named{"t", DataType::F32, {2}, std::as_bytes(std::span(values)), nullptr};
        converted = to_tensor(named, at::kFloat);
        values[0] = 9.F;
    }
    EXPECT_EQ(converted[0].item<float>(), 1.F);
}

TEST(TorchTensor, StoresATransposedTensorRowMajor) {
    const NamedTensor named =
        from_tensor("t", at::arange(6, at::kFloat).reshape({2, 3}).t(), DataType::F32);
    float second = 0;
    std::memcpy(&second, named.bytes.data() + 4, 4);
    EXPECT_EQ(second, 3.F);
}

TEST(TorchTensor, RefusesBytesThatDoNotFitTheShape) {
    const std::vector<float> values{1.F, 2.F};
    const auto bytes = std::as_bytes(std::span(values));
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3},
                                                   {1},
                                                   {-1, -2},
                                                   {1LL << 62, 4},
                                                   {1LL << 32, 1LL << 32, 1LL << 32}}) {
        EXPECT_THROW(to_tensor(NamedTensor{"t", DataType::F32, shape, bytes, nullptr}, at::kFloat),
                     Error);
    }
}

TEST(TorchTensor, TakesEmptyTensors) {
    const NamedTensor named{"t", DataType::F32, {0, 5}, {}, nullptr};
    EXPECT_EQ(to_tensor(named, at::kFloat).numel(), 0);
}

TEST(TorchTensor, RefusesWhatFloat16CannotHold) {
    EXPECT_THROW(from_tensor("t", at::tensor({70000.F}), DataType::F16), Error);
    EXPECT_NO_THROW(from_tensor("t", at::tensor({65504.F}), DataType::F16));
    EXPECT_NO_THROW(
        from_tensor("t", at::tensor({std::numeric_limits<float>::infinity()}), DataType::F16));
}

}  // namespace
}  // namespace seesay::weights
