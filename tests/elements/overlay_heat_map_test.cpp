// Attention over the picture: the right place, the right strength, nothing where there is nothing
// to say.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "elements/overlay/attention_boxes.hpp"
#include "elements/overlay/attention_rows.hpp"
#include "elements/overlay/blender.hpp"
#include "elements/overlay/caption_renderer.hpp"
#include "elements/overlay/heat_map.hpp"
#include "tests/elements/overlay_fixtures.hpp"

namespace seesay::overlay::testing {
namespace {

using vision::PixelFormat;

vision::Geometry grid(int rows, int columns) {
    vision::Geometry geometry;
    geometry.rows = rows;
    geometry.columns = columns;
    return geometry;
}

std::vector<float> one_hot(int length, int place) {
    std::vector<float> weights(static_cast<std::size_t>(length), 0.F);
    weights[static_cast<std::size_t>(place)] = 1.F;
    return weights;
}

/// How far each pixel moved, and the centre of those moves.
struct Change {
    double total = 0;
    double x = 0;
    double y = 0;
    double strongest = 0;
    int strongest_x = 0;
    int strongest_y = 0;
};

Change measure_change(const TestFrame& before, const TestFrame& after) {
    Change change;
    for (int y = 0; y < before.format().height; ++y) {
        for (int x = 0; x < before.format().width; ++x) {
            const Rgba a = before.pixel(x, y);
            const Rgba b = after.pixel(x, y);
            const double moved =
                std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
            change.total += moved;
            change.x += moved * (x + 0.5);
            change.y += moved * (y + 0.5);
            if (moved > change.strongest) {
                change.strongest = moved;
                change.strongest_x = x;
                change.strongest_y = y;
            }
        }
    }
    change.x /= change.total;
    change.y /= change.total;
    return change;
}

class OneHot : public ::testing::TestWithParam<PixelFormat> {};

/// Rows ≠ columns, so that a transposed map would light elsewhere.
TEST_P(OneHot, LightsTheRightPlaceAtTheRightWord) {
    constexpr int kRows = 3;
    constexpr int kColumns = 8;
    const std::vector<int> attended{10, 1, 23, 12};
    const auto caption = make_caption("a dog runs fast");
    set_one_hot_attention(*caption, kRows, kColumns, attended);
    const auto update = make_update(caption);
    const FrameFormat format{GetParam(), 321, 119};
    CaptionRenderer renderer;
    OverlayStyle style;
    style.show_text = false;
    renderer.set_style(style);
    renderer.set_frame(format, 1.0);
    TestFrame before(format);
    before.fill({60, 60, 60, 255});
    for (int word = 0; word < 4; ++word) {
        TestFrame after = before;
        for (const PreparedOverlay* layer :
             renderer.prepare(update, word * 250'000'000LL + 20'000'000)) {
            blend(*layer, after.writable());
        }
        const Change change = measure_change(before, after);
        const double cell_width = 321.0 / kColumns;
        const double cell_height = 119.0 / kRows;
        const int row = attended[static_cast<std::size_t>(word)] / kColumns;
        const int column = attended[static_cast<std::size_t>(word)] % kColumns;
        SCOPED_TRACE("word " + std::to_string(word));
        EXPECT_EQ(static_cast<int>(change.strongest_x / cell_width), column);
        EXPECT_EQ(static_cast<int>(change.strongest_y / cell_height), row);
        // The lit place is brighter than before, not only different.
        EXPECT_GT(luminance(after.pixel(change.strongest_x, change.strongest_y)),
                  2 * luminance({60, 60, 60, 255}));
        // Two cells away nothing changes.
        for (int y = 0; y < 119; ++y) {
            for (int x = 0; x < 321; ++x) {
                const double across = std::abs((x + 0.5) / cell_width - column - 0.5);
                if (across > 2.6) {
                    ASSERT_EQ(after.pixel(x, y), before.pixel(x, y));
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Overlay, OneHot, ::testing::ValuesIn(all_formats()),
                         [](const auto& info) { return name_of(info.param); });

TEST(HeatMap, PeaksInTheMiddleOfTheAttendedCell) {
    const HeatMap map(one_hot(15, 7), grid(3, 5));
    EXPECT_NEAR(map.strength(0.5F, 0.5F), 1.F, 0.03F);
    EXPECT_LT(map.strength(0.5F, 0.1F), 0.2F);
    EXPECT_EQ(map.strength(0.05F, 0.5F), 0.F);
    EXPECT_EQ(map.contrast(), 1.F);
}

TEST(HeatMap, IsSmooth) {
    const HeatMap map(one_hot(49, 24), grid(7, 7));
    for (int i = 0; i < 1000; ++i) {
        const float x = static_cast<float>(i) / 1000.F;
        EXPECT_LT(std::abs(map.strength(x + 0.001F, 0.5F) - map.strength(x, 0.5F)), 0.02F);
    }
}

TEST(HeatMap, DrawsNothingForAFlatMap) {
    for (const float weight : {1.F / 49.F, 0.F, 5.F}) {
        const HeatMap map(std::vector<float>(49, weight), grid(7, 7));
        EXPECT_EQ(map.contrast(), 0.F);
        for (const Colours colours : {Colours::Heat, Colours::Spotlight}) {
            PreparedOverlay prepared;
            map.prepare({PixelFormat::I420, 64, 64}, make_colour_map(colours, 0.8, map.contrast()),
                        prepared);
            TestFrame frame({PixelFormat::I420, 64, 64});
            frame.fill_with_noise(1);
            const auto before = frame.bytes();
            blend(prepared, frame.writable());
            EXPECT_EQ(frame.bytes(), before);
        }
    }
}

TEST(HeatMap, DrawsFaintMapsFainter) {
    std::vector<float> weights(49, 1.F / 49.F);
    weights[24] = 1.8F / 49.F;
    const HeatMap faint(weights, grid(7, 7));
    EXPECT_GT(faint.contrast(), 0.1F);
    EXPECT_LT(faint.contrast(), 0.6F);
    EXPECT_NEAR(faint.strength(0.5F, 0.5F), faint.contrast(), 0.03F);
}

TEST(HeatMap, IsIndifferentToTheWeightsScale) {
    std::vector<float> weights(12);
    std::iota(weights.begin(), weights.end(), 0.F);
    const HeatMap map(weights, grid(3, 4));
    for (float& weight : weights)
        weight *= 1e-3F;
    const HeatMap scaled(weights, grid(3, 4));
    for (int i = 0; i < 20; ++i) {
        const float x = static_cast<float>(i) / 20.F;
        EXPECT_NEAR(map.strength(x, x), scaled.strength(x, x), 1e-4F);
    }
}

TEST(HeatMap, TakesWhatIsNotANumberForNothing) {
    std::vector<float> weights = one_hot(9, 4);
    weights[0] = NAN;
    weights[1] = INFINITY;
    weights[2] = -3.F;
    const HeatMap map(weights, grid(3, 3));
    const HeatMap clean(one_hot(9, 4), grid(3, 3));
    EXPECT_EQ(map.strength(0.5F, 0.5F), clean.strength(0.5F, 0.5F));
}

TEST(HeatMap, CoversThePartThatTheEncoderSaw) {
    // The middle square of a wide picture.
    vision::Geometry cropped = grid(2, 2);
    cropped.picture_box = {0.25F, 0.F, 0.75F, 1.F};
    const HeatMap map(one_hot(4, 1), cropped);
    EXPECT_GT(map.strength(0.625F, 0.25F), 0.6F);
    EXPECT_GT(map.strength(0.7F, 0.2F), map.strength(0.8F, 0.2F));
    EXPECT_EQ(map.strength(0.95F, 0.25F), 0.F);
    EXPECT_EQ(map.strength(0.3F, 0.75F), 0.F);
}

TEST(HeatMap, LeavesTheLetterboxBarsOutOfThePicture) {
    // A wide picture in a square input: rows 0 and 3 of four look at bars above and below it.
    vision::Geometry boxed = grid(4, 4);
    boxed.picture_box = {0.F, -0.5F, 1.F, 1.5F};
    const HeatMap map(one_hot(16, 5), boxed);
    EXPECT_GT(map.strength(0.375F, 0.25F), 0.9F);
    EXPECT_LT(map.strength(0.375F, 0.9F), 0.3F);
}

TEST(HeatMap, IsDrawnAlikeInEveryFormat) {
    const HeatMap map(one_hot(12, 6), grid(3, 4));
    const ColourMap colours = make_colour_map(Colours::Heat, 0.6, 1.0);
    const PlacedImage drawing{0, 0, map.draw(97, 65, colours)};
    for (const PixelFormat format : all_formats()) {
        TestFrame frame({format, 97, 65});
        frame.fill({90, 120, 60, 255});
        const std::vector<double> exact = frame.blended_exactly(drawing);
        PreparedOverlay prepared;
        map.prepare(frame.format(), colours, prepared);
        blend(prepared, frame.writable());
        double worst = 0;
        for (std::size_t i = 0; i < exact.size(); ++i)
            worst = std::max(worst, std::abs(exact[i] - frame.bytes()[i]));
        // Halved chroma looks up the strength in its middle instead of averaging four colours.
        EXPECT_LE(worst, 3.0) << name_of(format);
    }
}

TEST(HeatMap, SharesStrengthsOnlyWhereItDoesNotShow) {
    const HeatMap map(one_hot(12, 6), grid(3, 4));
    const ColourMap colours = make_colour_map(Colours::Heat, 0.6, 1.0);
    const FrameFormat format{PixelFormat::GRAY8, 1281, 719};
    TestFrame frame(format);
    frame.fill({90, 90, 90, 255});
    const std::vector<double> exact = frame.blended_exactly({0, 0, map.draw(1281, 719, colours)});
    PreparedOverlay prepared;
    map.prepare(format, colours, prepared);
    blend(prepared, frame.writable());
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::max(worst, std::abs(exact[i] - frame.bytes()[i]));
    EXPECT_LE(worst, 2.5);
}

TEST(AttentionRows, AreCheckedBeforeUse) {
    const auto caption = make_caption("a dog");
    EXPECT_FALSE(has_attention(*caption));
    set_one_hot_attention(*caption, 2, 3, {1, 5});
    EXPECT_TRUE(has_attention(*caption));
    EXPECT_EQ(attention_row(*caption, 1)[5], 1.F);
    EXPECT_EQ(attention_row(*caption, std::nullopt)[5], 0.5F);
    language::Caption wrong = *caption;
    wrong.attention.pop_back();
    EXPECT_FALSE(has_attention(wrong));
    wrong = *caption;
    wrong.geometry.rows = 3;
    EXPECT_FALSE(has_attention(wrong));
    wrong = *caption;
    wrong.geometry.kind = vision::Geometry::Kind::Boxes;
    EXPECT_FALSE(has_attention(wrong));
    wrong = *caption;
    wrong.geometry.picture_box = {0.5F, 0.F, 0.5F, 1.F};
    EXPECT_FALSE(has_attention(wrong));
}

vision::Geometry two_boxes() {
    vision::Geometry geometry;
    geometry.kind = vision::Geometry::Kind::Boxes;
    geometry.boxes = {{0.1F, 0.1F, 0.3F, 0.5F}, {0.6F, 0.4F, 0.9F, 0.8F}};
    return geometry;
}

TEST(AttentionBoxes, DrawTheAttendedBoxOnly) {
    const ColourMap colours = make_colour_map(Colours::Heat, 0.8, 1.0);
    const PlacedImage drawn =
        draw_attention_boxes(std::vector<float>{0.05F, 0.95F}, two_boxes(), 200, 100, colours);
    EXPECT_EQ(drawn.x, 120);
    EXPECT_EQ(drawn.y, 40);
    EXPECT_EQ(drawn.image.width, 60);
    EXPECT_EQ(drawn.image.height, 40);
    const auto alpha = [&](int x, int y) { return drawn.row(y)[x - drawn.x] >> 24U; };
    EXPECT_GT(alpha(120, 60), alpha(150, 60));
    EXPECT_GT(alpha(150, 60), 20U);
}

TEST(AttentionBoxes, DrawNothingForEqualWeights) {
    const ColourMap colours = make_colour_map(Colours::Heat, 0.8, 1.0);
    EXPECT_TRUE(draw_attention_boxes(std::vector<float>{0.5F, 0.5F}, two_boxes(), 200, 100, colours)
                    .image.pixels.empty());
    EXPECT_TRUE(draw_attention_boxes(std::vector<float>{0.F, 0.F}, two_boxes(), 200, 100, colours)
                    .image.pixels.empty());
}

TEST(AttentionBoxes, StayInThePicture) {
    vision::Geometry wild = two_boxes();
    wild.boxes = {{-1.F, -2.F, 0.5F, 3.F}, {NAN, 0.F, 1.F, 1.F}};
    const ColourMap colours = make_colour_map(Colours::Heat, 0.8, 1.0);
    const PlacedImage drawn =
        draw_attention_boxes(std::vector<float>{0.95F, 0.05F}, wild, 100, 50, colours);
    EXPECT_EQ(drawn.image.width, 50);
    EXPECT_EQ(drawn.image.height, 50);
    EXPECT_TRUE(draw_attention_boxes(std::vector<float>{0.05F, 0.95F}, wild, 100, 50, colours)
                    .image.pixels.empty());
}

TEST(CaptionRenderer, DrawsBoxesAtTheRightWord) {
    const auto caption = make_caption("two dogs");
    caption->geometry = two_boxes();
    caption->attended = 2;
    caption->attention = {1.F, 0.F, 0.F, 1.F};
    const auto update = make_update(caption);
    CaptionRenderer renderer;
    OverlayStyle style;
    style.show_text = false;
    renderer.set_style(style);
    const FrameFormat format{PixelFormat::BGRx, 200, 100};
    renderer.set_frame(format, 1.0);
    for (int word = 0; word < 2; ++word) {
        TestFrame before(format);
        before.fill({50, 50, 50, 255});
        TestFrame after = before;
        for (const PreparedOverlay* layer : renderer.prepare(update, word * 600'000'000LL))
            blend(*layer, after.writable());
        const Change change = measure_change(before, after);
        EXPECT_NEAR(change.x, word == 0 ? 40 : 150, 1);
        EXPECT_NEAR(change.y, word == 0 ? 30 : 60, 1);
    }
}

TEST(CaptionRenderer, ShowsTheMeanMapForMean) {
    const auto caption = make_caption("two dogs");
    set_one_hot_attention(*caption, 1, 10, {0, 9});
    CaptionRenderer renderer;
    OverlayStyle style;
    style.show_text = false;
    style.attention = AttentionDisplay::Mean;
    renderer.set_style(style);
    const FrameFormat format{PixelFormat::RGB, 200, 40};
    renderer.set_frame(format, 1.0);
    TestFrame before(format);
    before.fill({50, 50, 50, 255});
    TestFrame after = before;
    const auto& layers = renderer.prepare(make_update(caption), 0);
    ASSERT_EQ(layers.size(), 1U);
    blend(*layers[0], after.writable());
    EXPECT_NE(after.pixel(10, 20), before.pixel(10, 20));
    EXPECT_NE(after.pixel(190, 20), before.pixel(190, 20));
    EXPECT_EQ(after.pixel(100, 20), before.pixel(100, 20));
}

TEST(CaptionRenderer, KeepsLayersThatDidNotChange) {
    const auto caption = make_caption("two dogs run");
    set_one_hot_attention(*caption, 2, 2, {0, 1, 2});
    const auto update = make_update(caption);
    CaptionRenderer renderer;
    renderer.set_frame({PixelFormat::I420, 320, 240}, 1.0);
    const auto first = renderer.draw(update, 0);
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(renderer.draw(update, 40'000'000), first);
    const auto second = renderer.draw(update, 500'000'000);
    EXPECT_NE(second[0], first[0]);
    EXPECT_EQ(second[1], first[1]);
    EXPECT_NE(second[2], first[2]);
}

}  // namespace
}  // namespace seesay::overlay::testing
