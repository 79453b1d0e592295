// Names in messages, suggestions, finite checks: the small parts behind the readers.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "models/weights/finite.hpp"
#include "models/weights/nearest_name.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

TEST(Printable, KeepsTextAndEscapesTheRest) {
    EXPECT_EQ(printable("abc"), "\"abc\"");
    EXPECT_EQ(printable("größe 犬"), "\"größe 犬\"");
    EXPECT_EQ(printable("a\n\x1b[31m"), "\"a\\x0a\\x1b[31m\"");
    EXPECT_EQ(printable("\xFF\xC3"), "\"\\xff\\xc3\"");
    EXPECT_EQ(printable("\xC2\x9B"), "\"\\xc2\\x9b\"");  // CSI, a control character
    EXPECT_EQ(printable(std::string(81, 'a')), "\"" + std::string(80, 'a') + "…\"");
}

TEST(NearestName, FindsSlips) {
    const std::vector<std::string> names{"default", "encoder-lite2", "zh"};
    EXPECT_EQ(nearest_name("defualt", names), "default");
    EXPECT_EQ(nearest_name("Default", names), "default");
    EXPECT_EQ(nearest_name("encoder_lite2", names), "encoder-lite2");
    EXPECT_EQ(nearest_name("xyz", names), std::nullopt);
    EXPECT_EQ(nearest_name("default", {}), std::nullopt);
}

template <typename T>
NamedTensor tensor_of(DataType type, const std::vector<T>& values) {
    auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    return {"w", type, {static_cast<std::int64_t>(values.size())}, *bytes, bytes};
}

TEST(Finite, FindsTheFirstBadElementOfEachType) {
    std::vector<float> values(3000, 1.F);
    EXPECT_EQ(first_non_finite(tensor_of(DataType::F32, values)), std::nullopt);
    values[2999] = NAN;
    values[1500] = -INFINITY;
    EXPECT_EQ(first_non_finite(tensor_of(DataType::F32, values)), 1500);
    EXPECT_EQ(first_non_finite(tensor_of<double>(DataType::F64, {1.0, NAN})), 1);
    EXPECT_EQ(first_non_finite(tensor_of<std::uint16_t>(DataType::F16, {0x7BFF, 0x7C00})), 1);
    EXPECT_EQ(first_non_finite(tensor_of<std::uint16_t>(DataType::BF16, {0x7F7F, 0xFFC0})), 1);
    EXPECT_EQ(first_non_finite(tensor_of<std::uint16_t>(DataType::I16, {0x7C00})), std::nullopt);
}

}  // namespace
}  // namespace seesay::weights
