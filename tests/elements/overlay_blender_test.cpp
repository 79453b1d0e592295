// The blender against a float reference, in every format, at odd places and sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "elements/overlay/blender.hpp"
#include "elements/overlay/prepared_overlay.hpp"
#include "tests/elements/overlay_fixtures.hpp"

namespace seesay::overlay::testing {
namespace {

using vision::ColourMatrix;
using vision::ColourRange;
using vision::PixelFormat;

struct Case {
    PixelFormat format;
    ColourMatrix matrix = ColourMatrix::Bt601;
    ColourRange range = ColourRange::Limited;
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << name_of(one.format);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const PixelFormat format : all_formats())
        all.push_back({format});
    all.push_back({PixelFormat::I420, ColourMatrix::Bt709, ColourRange::Limited});
    all.push_back({PixelFormat::NV12, ColourMatrix::Bt2020, ColourRange::Limited});
    all.push_back({PixelFormat::I420, ColourMatrix::Bt601, ColourRange::Full});
    all.push_back({PixelFormat::GRAY8, ColourMatrix::Bt601, ColourRange::Full});
    return all;
}

void blend_drawing(TestFrame& frame, const PlacedImage& drawing) {
    PreparedOverlay prepared;
    prepare(drawing, frame.format(), prepared);
    blend(prepared, frame.writable());
}

void expect_near(const TestFrame& frame, const std::vector<double>& exact, double tolerance) {
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        worst = std::max(worst, std::abs(frame.bytes()[i] - exact[i]));
    }
    EXPECT_LE(worst, tolerance);
}

class EveryFormat : public ::testing::TestWithParam<Case> {};

TEST_P(EveryFormat, BlendsLikeTheReferenceAtOddPlacesAndSizes) {
    const auto [format, matrix, range] = GetParam();
    for (const auto& [width, height, x, y] :
         {std::array{64, 48, 8, 6}, std::array{63, 47, 9, 5}, std::array{33, 31, 1, 3},
          std::array{37, 29, 12, 10}}) {
        TestFrame frame({format, width, height, matrix, range});
        frame.fill_with_noise(static_cast<unsigned>(width));
        const PlacedImage drawing{x, y, noisy_drawing(25, 19, 7)};
        const std::vector<double> exact = frame.blended_exactly(drawing);
        blend_drawing(frame, drawing);
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
        expect_near(frame, exact, 1.51);
    }
}

TEST_P(EveryFormat, CutsDrawingsThatReachBeyondTheFrame) {
    const auto [format, matrix, range] = GetParam();
    for (const auto& [x, y] : {std::pair{-7, -5}, std::pair{20, 17}, std::pair{-3, 11}}) {
        TestFrame frame({format, 31, 27, matrix, range});
        frame.fill_with_noise(3);
        const PlacedImage drawing{x, y, noisy_drawing(40, 21, 11)};
        const std::vector<double> exact = frame.blended_exactly(drawing);
        blend_drawing(frame, drawing);
        expect_near(frame, exact, 1.51);
    }
}

TEST_P(EveryFormat, LeavesEverythingElseAsItIsBitForBit) {
    const auto [format, matrix, range] = GetParam();
    TestFrame frame({format, 65, 33, matrix, range});
    frame.fill_with_noise(5);
    const std::vector<std::uint8_t> before = frame.bytes();
    const PlacedImage drawing{21, 9, noisy_drawing(17, 11, 2)};
    const std::vector<bool> covered = frame.covered_by(drawing);
    blend_drawing(frame, drawing);
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!covered[i]) {
            ASSERT_EQ(frame.bytes()[i], before[i]) << "byte " << i;
        }
    }
    TestFrame untouched({format, 65, 33, matrix, range});
    untouched.fill_with_noise(5);
    PlacedImage transparent = drawing;
    std::fill(transparent.image.pixels.begin(), transparent.image.pixels.end(), 0U);
    blend_drawing(untouched, transparent);
    EXPECT_EQ(untouched.bytes(), before);
}

TEST_P(EveryFormat, IgnoresDrawingsOutsideTheFrame) {
    const auto [format, matrix, range] = GetParam();
    TestFrame frame({format, 16, 16, matrix, range});
    frame.fill_with_noise(6);
    const std::vector<std::uint8_t> before = frame.bytes();
    blend_drawing(frame, {16, 3, noisy_drawing(5, 5, 1)});
    blend_drawing(frame, {3, -5, noisy_drawing(5, 5, 1)});
    EXPECT_EQ(frame.bytes(), before);
}

INSTANTIATE_TEST_SUITE_P(Overlay, EveryFormat, ::testing::ValuesIn(cases()), [](const auto& info) {
    return name_of(info.param.format) + "_" + std::to_string(info.index);
});

/// A red stripe on the last column of an odd picture: its chroma sample covers that column alone.
TEST(Overlay, KeepsChromaWhenWidthIsOdd) {
    for (const PixelFormat format : {PixelFormat::I420, PixelFormat::YV12, PixelFormat::NV12,
                                     PixelFormat::NV21, PixelFormat::Y42B}) {
        TestFrame frame({format, 9, 7});
        frame.fill({0, 0, 255, 255});
        ArgbImage stripe{1, 7, std::vector<std::uint32_t>(7, 0xFFFF0000U)};
        blend_drawing(frame, {8, 0, stripe});
        SCOPED_TRACE(name_of(format));
        for (int y = 0; y < 7; ++y) {
            const Rgba last = frame.pixel(8, y);
            EXPECT_NEAR(last[0], 255, 6);
            EXPECT_NEAR(last[2], 0, 6);
            const Rgba before = frame.pixel(7, y);
            EXPECT_NEAR(before[0], 0, 6);
            EXPECT_NEAR(before[2], 255, 6);
        }
    }
}

TEST(Overlay, HalvesChromaWhereADrawingCoversHalfASample) {
    TestFrame frame({PixelFormat::Y42B, 8, 2});
    frame.fill({128, 128, 128, 255});
    // Column 3 alone: the sample over columns 2 and 3 takes half of its chroma.
    blend_drawing(frame, {3, 0, {1, 2, {0xFF0000FFU, 0xFF0000FFU}}});
    const WritableFrame planes = frame.writable();
    const double blue_chroma = 128 + 224 * 0.5;
    EXPECT_NEAR(planes.planes[1][1], (128 + blue_chroma) / 2, 1);
    EXPECT_EQ(planes.planes[1][0], 128);
    EXPECT_EQ(planes.planes[1][2], 128);
}

TEST(Overlay, TransparentFramesTakeTheDrawingsAlpha) {
    TestFrame frame({PixelFormat::RGBA, 2, 1});
    frame.fill({10, 20, 30, 0});
    blend_drawing(frame, {0, 0, {1, 1, {0x80800000U}}});
    const Rgba drawn = frame.pixel(0, 0);
    EXPECT_THAT(drawn, ::testing::ElementsAre(255, 0, 0, 128));
    EXPECT_THAT(frame.pixel(1, 0), ::testing::ElementsAre(10, 20, 30, 0));
}

TEST(Overlay, SpansLeaveOutWideGaps) {
    PlacedImage drawing{0, 0, {512, 1, std::vector<std::uint32_t>(512, 0U)}};
    drawing.image.pixels[3] = drawing.image.pixels[500] = 0xFFFFFFFFU;
    PreparedOverlay prepared;
    prepare(drawing, {PixelFormat::GRAY8, 512, 1}, prepared);
    ASSERT_EQ(prepared.planes[0].spans.size(), 2U);
    EXPECT_EQ(prepared.planes[0].spans[0].begin, 3);
    EXPECT_EQ(prepared.planes[0].spans[0].end, 4);
    EXPECT_EQ(prepared.planes[0].spans[1].begin, 500);
}

TEST(Overlay, PreparesAgainInOtherFormatsAndSizes) {
    PreparedOverlay prepared;
    prepare({0, 0, noisy_drawing(60, 40, 1)}, {PixelFormat::I420, 64, 48}, prepared);
    TestFrame frame({PixelFormat::BGR, 21, 13});
    frame.fill_with_noise(8);
    const PlacedImage drawing{2, 3, noisy_drawing(9, 7, 4)};
    const std::vector<double> exact = frame.blended_exactly(drawing);
    prepare(drawing, frame.format(), prepared);
    blend(prepared, frame.writable());
    expect_near(frame, exact, 1.51);
}

}  // namespace
}  // namespace seesay::overlay::testing
