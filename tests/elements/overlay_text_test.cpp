// Captions as text: cleaning, wrapping, size, writing systems, contrast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "elements/overlay/blender.hpp"
#include "elements/overlay/drawable_text.hpp"
#include "elements/overlay/text_layout.hpp"
#include "tests/elements/overlay_fixtures.hpp"

namespace seesay::overlay::testing {
namespace {

constexpr std::uint32_t kWhite = 0xFFFFFFFFU;

struct Size {
    int width;
    int height;
};

constexpr std::array kSizes{Size{128, 96},    Size{320, 240},  Size{360, 640},   Size{640, 360},
                            Size{1080, 1920}, Size{1280, 720}, Size{1920, 1080}, Size{720, 576},
                            Size{3840, 2160}, Size{2560, 1080}};

PlacedImage draw(TextLayout& layout, const std::string& text, const PictureSize& picture,
                 const TextStyle& style = {}, const std::string& language = "en") {
    layout.set(text, {}, language, picture, style);
    return layout.draw();
}

/// First and one past the last row with a pixel that `test` accepts.
template <typename Test>
std::pair<int, int> rows_with(const ArgbImage& image, Test test) {
    int first = image.height;
    int last = 0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (!test(image.pixels[static_cast<std::size_t>(y * image.width + x)])) continue;
            first = std::min(first, y);
            last = std::max(last, y + 1);
        }
    }
    return {first, last};
}

template <typename Test>
std::pair<int, int> columns_with(const ArgbImage& image, Test test) {
    int first = image.width;
    int last = 0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (!test(image.pixels[static_cast<std::size_t>(y * image.width + x)])) continue;
            first = std::min(first, x);
            last = std::max(last, x + 1);
        }
    }
    return {first, last};
}

bool bright(std::uint32_t pixel) {
    return ((pixel >> 8U) & 0xFFU) > 128;
}

TEST(DrawableText, RepairsAndRemoves) {
    EXPECT_EQ(drawable_text("  caf\xE9 \xFF\xFE end ", 100),
              "caf\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD end");
    EXPECT_EQ(drawable_text("exe.\xE2\x80\xAEgnp\xE2\x80\xAC \xE2\x81\xA6x", 100), "exe.gnp x");
    EXPECT_EQ(drawable_text(std::string("bell\a nul\0 tab\tend", 18), 100), "bell nul tab end");
    EXPECT_EQ(drawable_text("   \n\t ", 100), "");
}

TEST(DrawableText, LimitsCombiningMarks) {
    std::string stack = "Z";
    for (int i = 0; i < 30; ++i)
        stack += "\xCC\x81";
    EXPECT_EQ(drawable_text(stack + "a", 100),
              "Z\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
              "a");
}

TEST(DrawableText, CutsAtTheLimitBetweenCharacters) {
    EXPECT_EQ(drawable_text("\xE7\x8B\x97\xE7\x8B\x97\xE7\x8B\x97", 2), "\xE7\x8B\x97\xE7\x8B\x97");
}

TEST(DrawableText, FindsWordsInOrderWhateverTheirCase) {
    const std::string text = "A dog and a Dog.";
    const std::vector<TextRange> ranges =
        find_words(text, {"a", "dog", "and", "a", "dog", ".", "cat"});
    const auto word = [&](std::size_t i) {
        return text.substr(ranges[i].begin, ranges[i].end - ranges[i].begin);
    };
    EXPECT_EQ(word(0), "A");
    EXPECT_EQ(ranges[1].begin, 2U);
    EXPECT_EQ(ranges[3].begin, 10U);
    EXPECT_EQ(word(4), "Dog");
    EXPECT_EQ(word(5), ".");
    EXPECT_TRUE(ranges[6].empty());
}

TEST(DrawableText, FindsWordsWithoutSpaces) {
    const std::string text = "\xE4\xB8\x80\xE5\x8F\xAA\xE7\x8B\x97";
    const std::vector<TextRange> ranges =
        find_words(text, {"\xE4\xB8\x80\xE5\x8F\xAA", "\xE7\x8B\x97"});
    EXPECT_EQ(ranges[0].end, 6U);
    EXPECT_EQ(ranges[1].begin, 6U);
}

TEST(TextLayout, LettersAreBetweenThreeAndSixPercentOfAnyHeight) {
    TextLayout layout;
    for (const auto& [width, height] : kSizes) {
        for (const double wanted : {0.03, 0.045, 0.06}) {
            SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
            const PictureSize picture{width, height};
            const double em = em_height(picture, wanted);
            EXPECT_GE(em, 0.03 * height);
            EXPECT_LE(em, 0.06 * height);
        }
        // Drawn: from the top of d to the foot of g, which is about an em; one row of smoothing at
        // either end.
        const PlacedImage drawn = draw(layout, "dg", {width, height});
        const auto [top, bottom] = rows_with(drawn.image, bright);
        EXPECT_GE(bottom - top, 0.03 * height - 1);
        EXPECT_LE(bottom - top, 0.06 * height + 1);
    }
}

TEST(TextLayout, StaysInsideNinetyPercentOfTheWidthAndInThePicture) {
    TextLayout layout;
    const std::string text =
        "two brown dogs and one white dog run over a wide green field towards the photographer's "
        "feet";
    for (const auto& [width, height] : kSizes) {
        for (const TextPosition position : {TextPosition::Bottom, TextPosition::Top}) {
            TextStyle style;
            style.position = position;
            const PlacedImage drawn = draw(layout, text, {width, height}, style);
            SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
            EXPECT_LE(drawn.image.width, 0.9 * width + 2);
            EXPECT_NEAR(drawn.x + drawn.image.width / 2.0, width / 2.0, 1.5);
            EXPECT_GE(drawn.y, 0);
            EXPECT_LE(drawn.y + drawn.image.height, height);
            EXPECT_EQ(drawn.y > height / 2, position == TextPosition::Bottom);
            EXPECT_LE(layout.line_count(), 3);
        }
    }
}

TEST(TextLayout, BreaksAWordLongerThanALine) {
    TextLayout layout;
    const PlacedImage drawn = draw(layout, std::string(120, 'w'), {640, 360});
    EXPECT_GT(layout.line_count(), 1);
    EXPECT_LE(drawn.image.width, 0.9 * 640 + 2);
    const auto [left, right] = columns_with(drawn.image, bright);
    EXPECT_GT(right - left, 0.7 * 640);
}

TEST(TextLayout, EllipsisesAfterTheLastLine) {
    TextLayout layout;
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "caption ";
    for (const int lines : {1, 2, 5}) {
        TextStyle style;
        style.max_lines = lines;
        draw(layout, text, {640, 360}, style);
        EXPECT_EQ(layout.line_count(), lines);
        EXPECT_TRUE(layout.ellipsised());
    }
}

TEST(TextLayout, LaysOutVeryLongTextQuickly) {
    TextLayout layout;
    layout.warm_up(kDefaultFont);
    std::string words;
    while (words.size() < 10'000)
        words += "word ";
    std::string marks = "a";
    while (marks.size() < 100'000)
        marks += "\xCC\x81";
    for (const std::string& text :
         {words, std::string(300, 'x'), std::string(10'000, 'i'), marks}) {
        const auto begin = std::chrono::steady_clock::now();
        const PlacedImage drawn = draw(layout, text, {1280, 720});
        const auto took = std::chrono::steady_clock::now() - begin;
        EXPECT_FALSE(drawn.image.pixels.empty());
        EXPECT_LE(layout.line_count(), 3);
        // Milliseconds in truth; a second would be a caption laid out in full.
        EXPECT_LT(took, std::chrono::seconds(1));
    }
    draw(layout, words, {1280, 720});
    EXPECT_TRUE(layout.ellipsised());
}

TEST(TextLayout, BalancesLines) {
    TextLayout layout;
    layout.set("a man in a blue shirt is standing on a ladder cleaning a large dirty window", {},
               "en", {640, 360}, {});
    ASSERT_EQ(layout.line_count(), 2);
    const PlacedImage drawn = layout.draw();
    // Both lines share the text: the box is far narrower than the 576 pixels there are.
    EXPECT_LT(drawn.image.width, 460);
}

TEST(TextLayout, SqueezesLettersWherePixelsAreWide) {
    TextLayout layout;
    const std::string text = "mmmmmmmm";
    const PlacedImage square = draw(layout, text, {720, 576, 1.0});
    const PlacedImage wide = draw(layout, text, {720, 576, 64.0 / 45.0});
    const auto width = [](const PlacedImage& drawn) {
        const auto [left, right] = columns_with(drawn.image, bright);
        return right - left;
    };
    EXPECT_NEAR(width(wide) * 64.0 / 45.0, width(square), 4);
    EXPECT_NEAR(wide.image.height, square.image.height, 1);
    EXPECT_NEAR(wide.x + wide.image.width / 2.0, 360, 1.5);
}

TEST(TextLayout, DrawsManyWritingSystems) {
    TextLayout layout;
    for (const char* text : {
             "zwei grüne Äpfel für Übermütige",
             "一条黑狗在雪地里奔跑",
             "黒い犬が雪の中を走る",
             "검은 개가 눈 속을 달린다",
             "कुत्ता बर्फ में दौड़ता है",
             "หมาวิ่งบนหิมะ",
             "собака бежит по снегу",
             "zero\xE2\x80\x8Bwidth \xE2\x80\x8D joiner and soft\xC2\xADhyphen",
         }) {
        SCOPED_TRACE(text);
        const PlacedImage drawn = draw(layout, text, {1280, 720});
        EXPECT_EQ(layout.missing_glyphs(), 0);
        const auto [left, right] = columns_with(drawn.image, bright);
        EXPECT_GT(right - left, 100);
    }
}

/// The middle column of the bright pixels of one drawn word.
double centre_of_word(const TextLayout& layout, std::size_t word) {
    const std::optional<PlacedImage> drawn = layout.draw_word(word);
    if (!drawn) return -1;
    const auto [left, right] = columns_with(drawn->image, bright);
    return drawn->x + (left + right) / 2.0;
}

TEST(TextLayout, OrdersRightToLeftScripts) {
    TextLayout layout;
    layout.set("كلب أسود يجري", {"كلب", "أسود", "يجري"}, "ar", {1280, 720}, {});
    EXPECT_GT(centre_of_word(layout, 0), centre_of_word(layout, 1));
    EXPECT_GT(centre_of_word(layout, 1), centre_of_word(layout, 2));
    layout.set("כלב שחור רץ", {"כלב", "שחור", "רץ"}, "he", {1280, 720}, {});
    EXPECT_GT(centre_of_word(layout, 0), centre_of_word(layout, 1));
    EXPECT_GT(centre_of_word(layout, 1), centre_of_word(layout, 2));
    layout.set("a dog runs", {"a", "dog", "runs"}, "en", {1280, 720}, {});
    EXPECT_LT(centre_of_word(layout, 0), centre_of_word(layout, 1));
    EXPECT_LT(centre_of_word(layout, 1), centre_of_word(layout, 2));
}

TEST(TextLayout, JoinsArabicLetters) {
    TextLayout layout;
    // Kept apart by non-joiners the same letters take their isolated, wider forms.
    const PlacedImage joined = draw(layout, "كلب", {1280, 720}, {}, "ar");
    const PlacedImage apart = draw(layout, "ك\xE2\x80\x8Cل\xE2\x80\x8Cب", {1280, 720}, {}, "ar");
    EXPECT_LT(joined.image.width, apart.image.width);
}

TEST(TextLayout, IgnoresBidiOverrides) {
    TextLayout layout;
    const PlacedImage plain = draw(layout, "photo gnp.exe", {1280, 720});
    const PlacedImage overridden =
        draw(layout, "photo \xE2\x80\xAEgnp.exe\xE2\x80\xAC", {1280, 720});
    EXPECT_EQ(plain.image.pixels, overridden.image.pixels);
}

TEST(TextLayout, CountsCharactersWithoutGlyph) {
    TextLayout layout;
    // Private use: no font has it.
    const PlacedImage drawn = draw(layout, "a \xF3\xB0\x80\x80 dog", {1280, 720});
    EXPECT_EQ(layout.missing_glyphs(), 1);
    EXPECT_FALSE(drawn.image.pixels.empty());
}

TEST(TextLayout, SurvivesEmojiSequences) {
    TextLayout layout;
    const PlacedImage drawn =
        draw(layout, "a 🐕 and a 👨‍👩‍👧 under 🇫🇷 👋🏿 ❤️", {1280, 720});
    EXPECT_FALSE(drawn.image.pixels.empty());
}

TEST(TextLayout, DrawsNothingForNothing) {
    TextLayout layout;
    for (const char* text : {"", "   ", "\n", "\xE2\x80\xAE", "\a"}) {
        layout.set(text, {"a"}, "en", {640, 360}, {});
        EXPECT_TRUE(layout.empty());
        EXPECT_TRUE(layout.draw().image.pixels.empty());
        EXPECT_FALSE(layout.draw_word(0));
    }
}

TEST(TextLayout, SurvivesTheSmallestPictures) {
    TextLayout layout;
    for (const auto& [width, height] :
         {Size{1, 1}, Size{2, 2}, Size{16, 4}, Size{3, 64}, Size{64, 3}, Size{0, 0}}) {
        layout.set("a dog runs through the snow", {"a", "dog"}, "en", {width, height}, {});
        const PlacedImage drawn = layout.draw();
        EXPECT_LE(drawn.image.width, width);
        EXPECT_LE(drawn.image.height, height);
        layout.draw_word(1);
    }
}

TEST(TextLayout, PicksOutTheCurrentWordWhereItStands) {
    TextLayout layout;
    layout.set("a dog runs after a dog", {"a", "dog", "runs", "after", "a", "dog", "unicorn"}, "en",
               {1280, 720}, {});
    const PlacedImage box = layout.draw();
    const std::optional<PlacedImage> first = layout.draw_word(1);
    const std::optional<PlacedImage> second = layout.draw_word(5);
    ASSERT_TRUE(first && second);
    EXPECT_LT(first->x, second->x);
    for (const auto& word : {*first, *second}) {
        EXPECT_GE(word.x, box.x);
        EXPECT_LE(word.x + word.image.width, box.x + box.image.width);
        EXPECT_GE(word.y, box.y);
        EXPECT_LE(word.y + word.image.height, box.y + box.image.height);
    }
    EXPECT_FALSE(layout.draw_word(6));
    EXPECT_FALSE(layout.draw_word(7));
}

enum class Ground { White, Black, Checker };

TestFrame make_ground(vision::PixelFormat format, Ground ground) {
    TestFrame frame({format, 640, 360, vision::ColourMatrix::Bt709, vision::ColourRange::Limited});
    if (ground == Ground::Checker) {
        frame.fill_with_checker(4);
    } else {
        const double level = ground == Ground::White ? 255 : 0;
        frame.fill({level, level, level, 255});
    }
    return frame;
}

/// Letters' inner pixels against the box's, the darkest letter against the brightest ground.
double worst_contrast(const TestFrame& frame, const PlacedImage& letters,
                      std::uint32_t letter_colour, const PlacedImage& box) {
    const std::uint32_t ground_colour =
        box.image.pixels[static_cast<std::size_t>(box.image.height / 2 * box.image.width + 4)];
    double darkest_letter = 1;
    double brightest_ground = 0;
    int seen = 0;
    const auto is = [](const PlacedImage& drawn, int x, int y, std::uint32_t colour) {
        return x >= drawn.x && y >= drawn.y && x < drawn.x + drawn.image.width &&
               y < drawn.y + drawn.image.height && drawn.row(y)[x - drawn.x] == colour;
    };
    for (int y = box.y; y < box.y + box.image.height; ++y) {
        for (int x = box.x; x < box.x + box.image.width; ++x) {
            const double light = luminance(frame.pixel(x, y));
            if (is(letters, x, y, letter_colour)) {
                darkest_letter = std::min(darkest_letter, light);
                ++seen;
            } else if (is(box, x, y, ground_colour)) {
                brightest_ground = std::max(brightest_ground, light);
            }
        }
    }
    EXPECT_GT(seen, 20);
    return contrast(darkest_letter, brightest_ground);
}

class Contrast : public ::testing::TestWithParam<vision::PixelFormat> {};

TEST_P(Contrast, IsAtLeastFourAndAHalfOnAnyGround) {
    TextLayout layout;
    TextStyle style;
    style.box_opacity = 0.65;  // the least that the property promises this for
    layout.set("Hill with HIGH MILL", {"Hill"}, "en", {640, 360}, style);
    const PlacedImage box = layout.draw();
    const std::optional<PlacedImage> word = layout.draw_word(0);
    ASSERT_TRUE(word);
    const std::uint32_t word_colour =
        *std::max_element(word->image.pixels.begin(), word->image.pixels.end());
    for (const Ground ground : {Ground::White, Ground::Black, Ground::Checker}) {
        TestFrame frame = make_ground(GetParam(), ground);
        PreparedOverlay prepared;
        prepare(box, frame.format(), prepared);
        blend(prepared, frame.writable());
        EXPECT_GE(worst_contrast(frame, box, kWhite, box), 4.5);
        prepare(*word, frame.format(), prepared);
        blend(prepared, frame.writable());
        EXPECT_GE(worst_contrast(frame, *word, word_colour, box), 4.5);
    }
}

INSTANTIATE_TEST_SUITE_P(Overlay, Contrast, ::testing::ValuesIn(all_formats()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace seesay::overlay::testing
