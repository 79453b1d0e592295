// Conversion of stored tensors, device names, thread settings.
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>

#include "models/error.hpp"
#include "models/tensor/device.hpp"
#include "models/tensor/from_named_tensor.hpp"
#include "models/tensor/threads.hpp"

namespace seesay::tensor {
namespace {

using weights::DataType;
using weights::NamedTensor;

TEST(FromNamedTensor, KeepsEveryTypeThroughARoundTrip) {
    const at::Tensor values = at::tensor({0.0, 1.0, 2.0, 3.0, 100.0, 1.0}).reshape({2, 3});
    for (const DataType type :
         {DataType::U8, DataType::I8, DataType::I16, DataType::I32, DataType::I64, DataType::F16,
          DataType::BF16, DataType::F32, DataType::F64}) {
        const NamedTensor named = from_tensor("t", values, type);
        EXPECT_EQ(named.shape, (std::vector<std::int64_t>{2, 3}));
        EXPECT_EQ(named.bytes.size(), 6 * weights::size_of(type));
        EXPECT_TRUE(at::equal(to_tensor(named, at::kDouble), values)) << weights::name_of(type);
        EXPECT_EQ(data_type(scalar_type(type)), type);
    }
}

TEST(FromNamedTensor, OwnsItsMemory) {
    at::Tensor converted;
    {
        std::vector<float> values{1.F, 2.F};
        const NamedTensor named{"t", DataType::F32, {2}, std::as_bytes(std::span(values)), nullptr};
        converted = to_tensor(named, at::kFloat);
        values[0] = 9.F;
    }
    EXPECT_EQ(converted[0].item<float>(), 1.F);
}

TEST(FromNamedTensor, StoresATransposedTensorRowMajor) {
    const NamedTensor named =
        from_tensor("t", at::arange(6, at::kFloat).reshape({2, 3}).t(), DataType::F32);
    float second = 0;
    std::memcpy(&second, named.bytes.data() + 4, 4);
    EXPECT_EQ(second, 3.F);
}

TEST(FromNamedTensor, RefusesBytesThatDoNotFitTheShape) {
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

TEST(FromNamedTensor, TakesEmptyTensors) {
    const NamedTensor named{"t", DataType::F32, {0, 5}, {}, nullptr};
    EXPECT_EQ(to_tensor(named, at::kFloat).numel(), 0);
}

TEST(FromNamedTensor, RefusesWhatFloat16CannotHold) {
    EXPECT_THROW(from_tensor("t", at::tensor({70000.F}), DataType::F16), Error);
    EXPECT_NO_THROW(from_tensor("t", at::tensor({65504.F}), DataType::F16));
    EXPECT_NO_THROW(
        from_tensor("t", at::tensor({std::numeric_limits<float>::infinity()}), DataType::F16));
}

TEST(Device, ReadsTheNames) {
    EXPECT_EQ(parse_device("cpu"), at::Device(at::kCPU));
    for (const char* wrong :
         {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU", "cuda:99999999999"}) {
        EXPECT_THROW(parse_device(wrong), Error) << wrong;
    }
    EXPECT_EQ(available_devices().front(), "cpu");
}

TEST(Device, SaysWhatToDoWithoutCuda) {
    if (torch::cuda::is_available()) GTEST_SKIP() << "this machine has CUDA";
    EXPECT_EQ(parse_device("auto"), at::Device(at::kCPU));
    try {
        parse_device("cuda");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("--device cpu"));
    }
}

TEST(Threads, AreCountedPerCallingThread) {
    std::thread([] {
        set_num_threads(2);
        EXPECT_EQ(num_threads(), 2);
        {
            const ThreadScope scope(1);
            EXPECT_EQ(num_threads(), 1);
        }
        EXPECT_EQ(num_threads(), 2);
    }).join();
    EXPECT_THROW(resolve_threads(-1), Error);
    EXPECT_GE(resolve_threads(0), 1);
}

TEST(Threads, DenormalsBecomeZero) {
    std::thread([] {
        if (!flush_denormals(true)) GTEST_SKIP() << "this processor cannot";
        volatile float small = std::numeric_limits<float>::min();
        const float half = small * 0.5F;
        flush_denormals(false);
        EXPECT_EQ(half, 0.F);
    }).join();
}

TEST(Threads, BlasIsNamed) {
    const Blas blas = blas_in_use();
    EXPECT_FALSE(blas.name.empty());
    EXPECT_FALSE(blas.library.empty());
    EXPECT_FALSE(openmp_policy().empty());
    RecordProperty("blas", blas.name + " " + blas.library);
}

}  // namespace
}  // namespace seesay::tensor
