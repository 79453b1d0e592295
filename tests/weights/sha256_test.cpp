// SHA-256 against the vectors of FIPS 180-2.
#include "models/weights/sha256.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "models/error.hpp"
#include "tests/weights/temporary_folder.hpp"

namespace seesay::weights {
namespace {

constexpr const char* sum_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, KnownVectors) {
    EXPECT_EQ(sha256_of(std::string_view("abc")), sum_of_abc);
    EXPECT_EQ(sha256_of(std::string_view("")),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, PiecesGiveTheSameSum) {
    Sha256 sum;
    sum.update(std::string_view("a"));
    sum.update(std::string_view("bc"));
    EXPECT_EQ(sum.finish(), sum_of_abc);
}

TEST(Sha256, FileLargerThanOneBlock) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "a";
    std::ofstream(file) << std::string(1'000'000, 'a');
    EXPECT_EQ(sha256_of_file(file),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, MissingFileIsAnError) {
    EXPECT_THROW(sha256_of_file("/nonexistent/file"), Error);
    EXPECT_THROW(sha256_of_file("/"), Error);
}

TEST(Sha256, RecognisesItsOwnSpelling) {
    EXPECT_TRUE(is_sha256(sum_of_abc));
    EXPECT_FALSE(is_sha256("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"));
    EXPECT_FALSE(is_sha256("ba78"));
}

}  // namespace
}  // namespace seesay::weights
