// float16 conversion: every value there and back, ties to even, denormals, the edge to infinity.
#include "models/weights/float16.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/error.hpp"

namespace seesay::weights {
namespace {

TEST(Float16, EveryValueSurvivesARoundTrip) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = from_float16(half);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(from_float16(to_float16(value))));
        } else {
            ASSERT_EQ(to_float16(value), half) << bits;
        }
    }
}

TEST(Float16, MiddlesRoundToEven) {
    for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {  // every pair of neighbours
        const float low = from_float16(static_cast<std::uint16_t>(bits));
        const float high = from_float16(static_cast<std::uint16_t>(bits + 1));
        const float middle = low + (high - low) / 2.F;  // exact in float32
        const auto even = static_cast<std::uint16_t>(bits + (bits & 1U));
        ASSERT_EQ(to_float16(middle), even) << bits;
        ASSERT_EQ(to_float16(-middle), even | 0x8000U) << bits;
        ASSERT_EQ(to_float16(std::nextafter(middle, 0.F)), bits) << bits;
        ASSERT_EQ(to_float16(std::nextafter(middle, high)), bits + 1) << bits;
    }
}

TEST(Float16, KnownValues) {
    EXPECT_EQ(to_float16(1.F), 0x3C00);
    EXPECT_EQ(to_float16(-2.F), 0xC000);
    EXPECT_EQ(to_float16(0.1F), 0x2E66);
    EXPECT_EQ(to_float16(-0.F), 0x8000);
    EXPECT_EQ(to_float16(0x1p-24F), 0x0001);
    EXPECT_EQ(to_float16(0x1p-25F), 0x0000);
    EXPECT_EQ(to_float16(1e-40F), 0x0000);
    EXPECT_EQ(to_float16(65504.F), 0x7BFF);
    EXPECT_EQ(to_float16(65519.996F), 0x7BFF);
    EXPECT_EQ(to_float16(65520.F), 0x7C00);
    EXPECT_EQ(to_float16(std::numeric_limits<float>::infinity()), 0x7C00);
    EXPECT_EQ(to_float16(-std::numeric_limits<float>::infinity()), 0xFC00);
}

NamedTensor tensor_of(const std::vector<float>& values) {
    auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(float));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    return {"w", DataType::F32, {static_cast<std::int64_t>(values.size())}, *bytes, bytes};
}

TEST(Float16, TensorThatOverflowsIsAnError) {
    try {
        to_float16(tensor_of({1.F, 70000.F}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "tensor \"w\": element 1 is too large for float16 (65504)");
    }
    EXPECT_NO_THROW(to_float16(tensor_of({std::numeric_limits<float>::infinity()})));
}

TEST(Float16, TensorKeepsNameAndShape) {
    const NamedTensor half = to_float16(tensor_of({1.F, -2.F}));
    EXPECT_EQ(half.name, "w");
    EXPECT_EQ(half.type, DataType::F16);
    EXPECT_EQ(half.shape, std::vector<std::int64_t>{2});
    std::uint16_t second = 0;
    std::memcpy(&second, half.bytes.data() + 2, 2);
    EXPECT_EQ(second, 0xC000);
    EXPECT_THROW(to_float16(half), Error);
}

}  // namespace
}  // namespace seesay::weights
