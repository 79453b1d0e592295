// The plain classes beneath seesaysource: repaired times, converted formats, tone mapping.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "elements/source/frame_conversion.hpp"
#include "elements/source/timestamp_repair.hpp"

namespace seesay::elements {
namespace {

using ::testing::ElementsAre;

using Times = std::vector<std::optional<std::int64_t>>;

std::vector<std::int64_t> repaired(const Times& times, bool look_ahead) {
    TimestampRepair repair(40);
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto next = look_ahead && i + 1 < times.size() ? times[i + 1] : std::nullopt;
        result.push_back(repair.repair(times[i], next));
    }
    return result;
}

TEST(TimestampRepair, LeavesGoodTimesAlone) {
    EXPECT_THAT(repaired({0, 33, 66, 5000, 5040}, true), ElementsAre(0, 33, 66, 5000, 5040));
    EXPECT_THAT(repaired({0, 33, 66, 5000, 5040}, false), ElementsAre(0, 33, 66, 5000, 5040));
}

TEST(TimestampRepair, PutsMissingTimesBetweenTheirNeighbours) {
    EXPECT_THAT(repaired({0, std::nullopt, 80}, true), ElementsAre(0, 40, 80));
    EXPECT_THAT(repaired({0, std::nullopt, 30}, true), ElementsAre(0, 15, 30));
}

TEST(TimestampRepair, CountsFramesWhereThereAreNoTimesAtAll) {
    EXPECT_THAT(repaired({std::nullopt, std::nullopt, std::nullopt}, true), ElementsAre(0, 40, 80));
}

TEST(TimestampRepair, SpreadsRepeatedTimes) {
    EXPECT_THAT(repaired({0, 0, 80, 80, 160}, true), ElementsAre(0, 40, 80, 120, 160));
}

TEST(TimestampRepair, KeepsTheGoodTimesAfterARepeatedOne) {
    EXPECT_THAT(repaired({0, 40, 40, 80, 120}, false), ElementsAre(0, 40, 45, 80, 120));
}

TEST(TimestampRepair, GoesOnWhereTheClockWasSetBack) {
    EXPECT_THAT(repaired({0, 40, 80, 0, 40, 80}, true), ElementsAre(0, 40, 80, 120, 160, 200));
    EXPECT_THAT(repaired({1000, 1040, 0, 40}, false), ElementsAre(1000, 1040, 1080, 1120));
}

TEST(TimestampRepair, RisesWhateverComes) {
    TimestampRepair repair(40);
    unsigned state = 7;
    std::int64_t last = -1;
    for (int i = 0; i < 10'000; ++i) {
        state = state * 1103515245U + 12345U;
        const std::int64_t time = repair.repair(static_cast<std::int64_t>(state % 5000));
        ASSERT_GT(time, last);
        last = time;
    }
}

TEST(TimestampRepair, CountsWhatItChanged) {
    TimestampRepair repair(40);
    for (const std::int64_t time : {0, 40, 40, 120})
        repair.repair(time);
    EXPECT_EQ(repair.repaired(), 1U);
}

Frame frame_of(AVPixelFormat format, int width, int height) {
    Frame frame(av_frame_alloc());
    frame->format = format;
    frame->width = width;
    frame->height = height;
    av_frame_get_buffer(frame.get(), 0);
    return frame;
}

TEST(FrameConverter, LeavesEightBitFormatsAlone) {
    FrameConverter converter;
    Frame frame = frame_of(AV_PIX_FMT_YUV420P, 32, 16);
    const auto* pixels = frame->data[0];
    converter.convert(frame);
    EXPECT_EQ(frame->data[0], pixels);
}

TEST(FrameConverter, ChoosesTheNearestEightBitFormat) {
    const std::vector<std::pair<AVPixelFormat, AVPixelFormat>> expected{
        {AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV420P}, {AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV422P},
        {AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV444P}, {AV_PIX_FMT_GRAY16LE, AV_PIX_FMT_GRAY8},
        {AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_GRAY8},     {AV_PIX_FMT_GBRP, AV_PIX_FMT_RGB0},
        {AV_PIX_FMT_YUVA420P, AV_PIX_FMT_RGB0},       {AV_PIX_FMT_YUV410P, AV_PIX_FMT_YUV420P}};
    for (const auto& [source, target] : expected) {
        FrameConverter converter;
        Frame frame = frame_of(source, 32, 16);
        converter.convert(frame);
        EXPECT_EQ(frame->format, target) << av_get_pix_fmt_name(source);
    }
}

TEST(FrameConverter, SixteenBitGreyKeepsItsRange) {
    FrameConverter converter;
    Frame frame = frame_of(AV_PIX_FMT_GRAY16LE, 32, 2);
    auto* samples = reinterpret_cast<std::uint16_t*>(frame->data[0]);
    for (int x = 0; x < 32; ++x)
        samples[x] = static_cast<std::uint16_t>(x * 65535 / 31);
    converter.convert(frame);
    for (int x = 0; x < 32; ++x)
        EXPECT_NEAR(frame->data[0][x], x * 255 / 31.0, 1.5);
}

TEST(FrameConverter, LaysAlphaOverBlack) {
    FrameConverter converter;
    Frame frame = frame_of(AV_PIX_FMT_RGBA, 2, 1);
    const std::uint8_t pixels[] = {200, 100, 50, 0, 200, 100, 50, 128};
    std::copy(std::begin(pixels), std::end(pixels), frame->data[0]);
    converter.convert(frame);
    EXPECT_EQ(frame->data[0][0], 0);
    EXPECT_EQ(frame->data[0][4], 100);
    EXPECT_EQ(frame->data[0][5], 50);
}

// The luma (limited range) that a grey PQ or HLG signal becomes.
int tone_mapped(AVColorTransferCharacteristic transfer, double signal) {
    FrameConverter converter;
    Frame frame = frame_of(AV_PIX_FMT_YUV444P16LE, 4, 4);
    frame->color_trc = transfer;
    frame->colorspace = AVCOL_SPC_BT2020_NCL;
    frame->color_primaries = AVCOL_PRI_BT2020;
    frame->color_range = AVCOL_RANGE_MPEG;
    const auto luma = static_cast<std::uint16_t>(std::lround((16.0 + 219.0 * signal) * 256.0));
    for (int plane = 0; plane < 3; ++plane) {
        for (int y = 0; y < 4; ++y) {
            auto* row =
                reinterpret_cast<std::uint16_t*>(frame->data[plane] + y * frame->linesize[plane]);
            std::fill_n(row, 4, plane == 0 ? luma : std::uint16_t{128 * 256});
        }
    }
    converter.convert(frame);
    EXPECT_EQ(frame->format, AV_PIX_FMT_YUV420P);
    EXPECT_NEAR(frame->data[1][0], 128, 1);
    EXPECT_NEAR(frame->data[2][0], 128, 1);
    return frame->data[0][0];
}

TEST(ToneMap, BlackStaysBlackAndGreyStaysGrey) {
    EXPECT_NEAR(tone_mapped(AVCOL_TRC_SMPTE2084, 0.0), 16, 1);
    EXPECT_NEAR(tone_mapped(AVCOL_TRC_ARIB_STD_B67, 0.0), 16, 1);
}

TEST(ToneMap, ReferenceWhiteIsBrightButNotTheBrightest) {
    // BT.2408: 203 cd/m² is 58 % of a PQ signal and 75 % of an HLG signal.
    for (const int luma :
         {tone_mapped(AVCOL_TRC_SMPTE2084, 0.58), tone_mapped(AVCOL_TRC_ARIB_STD_B67, 0.75)}) {
        EXPECT_GT(luma, 205);
        EXPECT_LT(luma, 234);
    }
    EXPECT_NEAR(tone_mapped(AVCOL_TRC_SMPTE2084, 0.7518), 235, 2);  // 1,000 cd/m²
}

TEST(ToneMap, BrighterSignalsAreNotDarker) {
    int last = 0;
    for (double signal = 0.0; signal <= 1.0; signal += 0.05) {
        const int luma = tone_mapped(AVCOL_TRC_SMPTE2084, signal);
        EXPECT_GE(luma, last) << signal;
        last = luma;
    }
}

}  // namespace
}  // namespace seesay::elements
