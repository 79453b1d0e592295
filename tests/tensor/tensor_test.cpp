// Device names and thread settings.
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "models/error.hpp"
#include "models/tensor/device.hpp"
#include "models/tensor/threads.hpp"

namespace seesay::tensor {
namespace {

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
