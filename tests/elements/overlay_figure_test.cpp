// The figure: a panel for the picture and one for each word, the right map in each, files that can
// be read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "elements/overlay/figure.hpp"
#include "models/error.hpp"
#include "tests/elements/overlay_fixtures.hpp"
#include "tests/elements/publish_fixtures.hpp"

namespace seesay::overlay::testing {
namespace {

vision::Image plain_picture(int width, int height, std::uint8_t level) {
    return {width, height,
            std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 3, level)};
}

/// Pixels of the picture's own grey level or darker or lighter by attention: everything but paper
/// and ink is a panel.
int count_level(const vision::Image& image, std::uint8_t level) {
    int count = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
        count +=
            image.pixels[i] == level && image.pixels[i + 1] == level && image.pixels[i + 2] == level
                ? 1
                : 0;
    }
    return count;
}

TEST(Figure, HasAPanelForThePictureAndOneAWord) {
    const auto caption = make_caption("a dog runs");
    // Flat attention leaves every panel as the picture is.
    caption->geometry.rows = caption->geometry.columns = 2;
    caption->attended = 4;
    caption->attention.assign(12, 0.25F);
    FigureStyle style;
    style.panel_side = 100;
    const vision::Image figure = draw_figure(plain_picture(50, 40, 77), *caption, style);
    EXPECT_EQ(count_level(figure, 77), 4 * 100 * 80);
    EXPECT_EQ(figure.pixels.size(), static_cast<std::size_t>(figure.width) * figure.height * 3);
}

TEST(Figure, LightsEachWordsPlace) {
    const auto caption = make_caption("dog");
    set_one_hot_attention(*caption, 1, 4, {3});
    FigureStyle style;
    style.panel_side = 120;
    style.colours = Colours::Heat;
    const vision::Image figure = draw_figure(plain_picture(120, 60, 77), *caption, style);
    // The picture's panel is whole; of the word's panel the left half, at least, is untouched.
    const int untouched = count_level(figure, 77);
    EXPECT_GT(untouched, 120 * 60 + 50 * 60);
    EXPECT_LT(untouched, 120 * 60 + 100 * 60);
}

TEST(Figure, ShowsPictureAndSentenceWithoutAttention) {
    FigureStyle style;
    style.panel_side = 100;
    const vision::Image figure =
        draw_figure(plain_picture(50, 40, 77), *make_caption("a dog runs"), style);
    EXPECT_EQ(count_level(figure, 77), 100 * 80);
}

TEST(Figure, WrapsManyWordsIntoRows) {
    std::string text = "dog";
    for (int i = 1; i < 200; ++i)
        text += " dog";
    const auto caption = make_caption(text);
    set_one_hot_attention(*caption, 2, 2, std::vector<int>(200, 1));
    FigureStyle style;
    style.panel_side = 40;
    const vision::Image figure = draw_figure(plain_picture(64, 48, 77), *caption, style);
    EXPECT_GT(figure.width, figure.height);
    EXPECT_LT(figure.width, 4 * figure.height);
}

TEST(Figure, TakesPicturesOfAnyShape) {
    const auto caption = make_caption("a dog");
    set_one_hot_attention(*caption, 2, 2, {0, 3});
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3000, 2}, std::pair{2, 3000}}) {
        EXPECT_GT(draw_figure(plain_picture(width, height, 77), *caption).width, 0);
    }
    EXPECT_THROW(draw_figure({}, *caption), Error);
    EXPECT_THROW(draw_figure({4, 4, {1, 2, 3}}, *caption), Error);
}

TEST(Figure, IsTheSameInACommaLocale) {
    const auto caption = make_caption("a dog 3.5 metres long");
    set_one_hot_attention(*caption, 2, 2, {0, 3, 1, 2, 0});
    const vision::Image before = draw_figure(plain_picture(64, 48, 77), *caption);
    TextLayout layout;
    layout.set(caption->text, {}, "en", {1280, 720}, {});
    const PlacedImage text_before = layout.draw();
    const seesay::testing::CommaLocale comma;
    EXPECT_EQ(draw_figure(plain_picture(64, 48, 77), *caption).pixels, before.pixels);
    TextLayout other;
    other.set(caption->text, {}, "en", {1280, 720}, {});
    EXPECT_EQ(other.draw().image.pixels, text_before.image.pixels);
}

TEST(Figure, IsWrittenInTheFormatOfItsName) {
    const seesay::testing::TemporaryFolder folder;
    const std::string path = folder.path() + "/fig.png";
    write_picture(plain_picture(8, 6, 200), path);
    std::ifstream file(path, std::ios::binary);
    std::string head(8, '\0');
    file.read(head.data(), 8);
    EXPECT_EQ(head, "\x89PNG\r\n\x1A\n");
}

TEST(Figure, SaysWhatIsWrongWithItsName) {
    using ::testing::HasSubstr;
    using ::testing::ThrowsMessage;
    const vision::Image image = plain_picture(8, 6, 200);
    EXPECT_THAT([&] { write_picture(image, "/nowhere/fig.png"); },
                ThrowsMessage<Error>(HasSubstr("/nowhere/fig.png")));
    EXPECT_THAT([&] { write_picture(image, "fig.xyz"); },
                ThrowsMessage<Error>(HasSubstr("fig.xyz")));
    EXPECT_THAT([&] { write_picture(image, "fig"); }, ThrowsMessage<Error>(HasSubstr("extension")));
}

}  // namespace
}  // namespace seesay::overlay::testing
