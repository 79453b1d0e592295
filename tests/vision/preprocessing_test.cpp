// Preprocessing against Pillow (golden pictures by make_pillow_golden.py) and against a plain float
// reference.
#include "models/vision/preprocessing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "models/vision/image_file.hpp"
#include "models/vision/probe_pictures.hpp"
#include "models/weights/safetensors.hpp"
#include "tests/vision/float_preprocessing.hpp"

namespace seesay::vision {
namespace {

Preprocessing to_size(int width, int height, Fit fit = Fit::Squeeze) {
    Preprocessing preprocessing;
    preprocessing.width = width;
    preprocessing.height = height;
    preprocessing.fit = fit;
    return preprocessing;
}

int largest_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    EXPECT_EQ(a.size(), b.size());
    int largest = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

struct PillowCase {
    int width, height, to_width, to_height;
};

void PrintTo(const PillowCase& c, std::ostream* out) {
    *out << c.width << "x" << c.height << "_to_" << c.to_width << "x" << c.to_height;
}

class PreprocessingAgainstPillow : public testing::TestWithParam<PillowCase> {};

TEST_P(PreprocessingAgainstPillow, DiffersByAtMostOne) {
    const PillowCase c = GetParam();
    const auto golden = weights::Safetensors::open(std::filesystem::path(SEESAY_FIXTURES) /
                                                   "vision" / "pillow_bilinear.safetensors");
    const Image picture = probe_pictures(3, 1, c.width, c.height).front();
    for (const Fit fit : {Fit::Squeeze, Fit::Crop}) {
        const std::string name =
            (fit == Fit::Crop ? "crop_" : "squeeze_") + testing::PrintToString(c);
        const auto expected = golden.at(name).bytes;
        const Image result = preprocess(view(picture), to_size(c.to_width, c.to_height, fit)).image;
        EXPECT_LE(largest_difference(
                      result.pixels,
                      {reinterpret_cast<const std::uint8_t*>(expected.data()), expected.size()}),
                  1)
            << name;
    }
}

INSTANTIATE_TEST_SUITE_P(, PreprocessingAgainstPillow,
                         testing::Values(PillowCase{321, 243, 80, 80},
                                         PillowCase{1283, 719, 64, 64}, PillowCase{64, 48, 96, 96},
                                         PillowCase{17, 5, 64, 64}, PillowCase{1, 1, 8, 8},
                                         PillowCase{500, 375, 32, 48}),
                         [](const auto& info) { return testing::PrintToString(info.param); });

constexpr PixelFormat all_formats[] = {
    PixelFormat::I420, PixelFormat::YV12,  PixelFormat::NV12, PixelFormat::NV21, PixelFormat::Y42B,
    PixelFormat::Y444, PixelFormat::GRAY8, PixelFormat::RGB,  PixelFormat::BGR,  PixelFormat::RGBx,
    PixelFormat::BGRx, PixelFormat::xRGB,  PixelFormat::xBGR, PixelFormat::RGBA, PixelFormat::BGRA,
    PixelFormat::ARGB, PixelFormat::ABGR};

class PreprocessingOfFormat : public testing::TestWithParam<PixelFormat> {};

TEST_P(PreprocessingOfFormat, IsWithinRoundingOfFloatingPoint) {
    for (const auto& [width, height] :
         {std::pair(64, 48), {65, 47}, {1, 1}, {2, 1}, {1, 3}, {7, 301}, {333, 5}, {130, 97}}) {
        const OwnedFrame owned(GetParam(), width, height, /*row_padding=*/13);
        for (const Fit fit : {Fit::Squeeze, Fit::Crop, Fit::Letterbox}) {
            const Preprocessing preprocessing = to_size(33, 29, fit);
            const Image result = preprocess(owned.frame, preprocessing).image;
            const std::vector<float> expected = float_preprocess(owned.frame, preprocessing);
            ASSERT_EQ(result.pixels.size(), expected.size());
            float largest = 0;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                largest =
                    std::max(largest, std::abs(static_cast<float>(result.pixels[i]) - expected[i]));
            }
            EXPECT_LE(largest, 0.51F) << width << "x" << height << " fit " << static_cast<int>(fit);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, PreprocessingOfFormat, testing::ValuesIn(all_formats));

TEST(Preprocessing, FollowsColourMatrixAndRange) {
    for (const ColourMatrix matrix :
         {ColourMatrix::Bt601, ColourMatrix::Bt709, ColourMatrix::Bt2020}) {
        for (const ColourRange range : {ColourRange::Limited, ColourRange::Full}) {
            OwnedFrame owned(PixelFormat::I420, 40, 30, 0);
            owned.frame.matrix = matrix;
            owned.frame.range = range;
            const Image result = preprocess(owned.frame, to_size(16, 16)).image;
            const std::vector<float> expected = float_preprocess(owned.frame, to_size(16, 16));
            for (std::size_t i = 0; i < expected.size(); ++i) {
                ASSERT_NEAR(result.pixels[i], expected[i], 0.51F);
            }
        }
    }
}

// One flat colour, with values from the standards rather than from a formula of ours.
TEST(Preprocessing, KnowsPureRedInBt709) {
    const std::vector<std::uint8_t> y(4, 63), u(1, 102), v(1, 240);
    FrameView frame;
    frame.width = frame.height = 2;
    frame.planes = {y.data(), u.data(), v.data(), nullptr};
    frame.strides = {2, 1, 1, 0};
    frame.matrix = ColourMatrix::Bt709;
    const Image result = preprocess(frame, to_size(1, 1)).image;
    EXPECT_NEAR(result.pixels[0], 255, 2);
    EXPECT_NEAR(result.pixels[1], 0, 2);
    EXPECT_NEAR(result.pixels[2], 0, 2);
}

TEST(Preprocessing, LetterboxFillsAndSaysWhatTheGridCovers) {
    const Image white{40, 20, std::vector<std::uint8_t>(40 * 20 * 3, 255)};
    Preprocessing preprocessing = to_size(16, 16, Fit::Letterbox);
    preprocessing.fill = {10, 20, 30};
    const PreprocessedFrame result = preprocess(view(white), preprocessing);
    const auto pixel = [&](int x, int y) {
        const std::uint8_t* p = result.image.pixels.data() + 3 * (y * 16 + x);
        return std::array<int, 3>{p[0], p[1], p[2]};
    };
    EXPECT_EQ(pixel(0, 3), (std::array<int, 3>{10, 20, 30}));
    EXPECT_EQ(pixel(0, 4), (std::array<int, 3>{255, 255, 255}));
    EXPECT_EQ(pixel(15, 11), (std::array<int, 3>{255, 255, 255}));
    EXPECT_EQ(pixel(15, 12), (std::array<int, 3>{10, 20, 30}));
    EXPECT_THAT(result.picture_box, testing::ElementsAre(0.F, -0.5F, 1.F, 1.5F));
}

TEST(Preprocessing, CropSaysWhatTheGridCovers) {
    const Image picture = probe_pictures(1, 1, 40, 20).front();
    EXPECT_THAT(preprocess(view(picture), to_size(8, 8, Fit::Crop)).picture_box,
                testing::ElementsAre(0.25F, 0.F, 0.75F, 1.F));
    EXPECT_THAT(preprocess(view(picture), to_size(8, 8)).picture_box,
                testing::ElementsAre(0.F, 0.F, 1.F, 1.F));
}

TEST(Preprocessing, ReadsNothingBehindTheLastSample) {
    const long page = sysconf(_SC_PAGESIZE);
    auto* memory = static_cast<std::uint8_t*>(
        mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(mprotect(memory + 3 * page, page, PROT_NONE), 0);
    for (const auto& [format, bytes] : {std::pair(PixelFormat::GRAY8, 1),
                                        {PixelFormat::RGB, 3},
                                        {PixelFormat::BGRx, 4},
                                        {PixelFormat::ARGB, 4}}) {
        for (const int width : {1, 7, 17, 33}) {
            FrameView frame;
            frame.format = format;
            frame.width = width;
            frame.height = 5;
            frame.strides[0] = width * bytes;
            frame.planes[0] =
                memory + 3 * page - std::ptrdiff_t{5} * width * bytes;  // ends at the guard
            preprocess(frame, to_size(12, 12));
        }
    }
    munmap(memory, 4 * page);
}

TEST(Preprocessing, GivesTheSameForTheSameFrame) {
    const OwnedFrame owned(PixelFormat::NV12, 131, 77, 3);
    const Image first = preprocess(owned.frame, to_size(50, 50)).image;
    for (int other = 20; other < 40; ++other)
        preprocess(owned.frame, to_size(other, other));  // turns the tables over
    EXPECT_EQ(preprocess(owned.frame, to_size(50, 50)).image.pixels, first.pixels);
}

TEST(Preprocessing, RefusesFramesThatCannotBe) {
    const Image picture = probe_pictures(1, 1, 8, 8).front();
    const FrameView good = view(picture);
    FrameView frame = good;
    frame.width = 0;
    EXPECT_THROW(preprocess(frame, to_size(8, 8)), Error);
    frame.width = 65536;
    EXPECT_THROW(preprocess(frame, to_size(8, 8)), Error);
    frame = good;
    frame.planes[0] = nullptr;
    EXPECT_THROW(preprocess(frame, to_size(8, 8)), Error);
    frame = good;
    frame.strides[0] = 10;
    EXPECT_THROW(preprocess(frame, to_size(8, 8)), Error);
    EXPECT_THROW(preprocess(good, to_size(0, 8)), Error);
    EXPECT_THROW(preprocess(good, to_size(8, 5000)), Error);
}

TEST(PreprocessingManifest, ReadsEveryKey) {
    const auto parsed = parse_preprocessing({{"width", 320},
                                             {"height", 256},
                                             {"fit", "letterbox"},
                                             {"mean", {1, 2.5, 3}},
                                             {"deviation", {4, 5, 6}},
                                             {"fill", {7, 8, 9}},
                                             {"blue_first", true}},
                                            "model.json");
    EXPECT_EQ(parsed.width, 320);
    EXPECT_EQ(parsed.height, 256);
    EXPECT_EQ(parsed.fit, Fit::Letterbox);
    EXPECT_THAT(parsed.mean, testing::ElementsAre(1.F, 2.5F, 3.F));
    EXPECT_THAT(parsed.deviation, testing::ElementsAre(4.F, 5.F, 6.F));
    EXPECT_THAT(parsed.fill, testing::ElementsAre(7, 8, 9));
    EXPECT_TRUE(parsed.blue_first);
}

TEST(PreprocessingManifest, RefusesWhatItCannotMean) {
    for (const nlohmann::json& wrong : {nlohmann::json{{"width", 0}},
                                        {{"width", 2.5}},
                                        {{"height", 99999}},
                                        {{"fit", "stretch"}},
                                        {{"mean", {1, 2}}},
                                        {{"mean", "grey"}},
                                        {{"deviation", {0, 1, 1}}},
                                        {{"fill", {1, 2, 300}}},
                                        {{"blue_first", 1}},
                                        {{"widht", 224}},
                                        nlohmann::json::array()}) {
        EXPECT_THROW(parse_preprocessing(wrong, "model.json"), Error) << wrong;
    }
}

}  // namespace
}  // namespace seesay::vision
