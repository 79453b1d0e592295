// Cues: order, times, escaping, and how they are made of caption updates.
#include "pipeline/subtitles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seesay::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

elements::CaptionUpdate update(std::uint64_t id, std::int64_t start, std::int64_t end, bool final,
                               const std::string& text) {
    elements::CaptionUpdate update;
    auto caption = std::make_shared<language::Caption>();
    caption->text = text;
    update.caption = caption;
    update.segment = {id, 1, start, end, final};
    return update;
}

TEST(Subtitles, SortsAndNeverOverlaps) {
    EXPECT_THAT(in_order({{2 * kSecond, 4 * kSecond, "b"}, {0, 3 * kSecond, "a"}}),
                ElementsAre(Cue{0, 2 * kSecond, "a"}, Cue{2 * kSecond, 4 * kSecond, "b"}));
}

TEST(Subtitles, MergesEqualNeighboursThatTouch) {
    EXPECT_THAT(in_order({{0, kSecond, "a"}, {kSecond, 2 * kSecond, "a"}}),
                ElementsAre(Cue{0, 2 * kSecond, "a"}));
}

TEST(Subtitles, KeepsEqualCuesApartThatDoNotTouch) {
    EXPECT_THAT(in_order({{0, kSecond, "a"}, {2 * kSecond, 3 * kSecond, "a"}}).size(), 2U);
}

TEST(Subtitles, DropsCuesWithoutTextOrTime) {
    EXPECT_THAT(in_order({{0, kSecond, ""},
                          {kSecond, kSecond, "a"},
                          {kSecond, kSecond + 1000, "b"},
                          {0, kSecond, "  "}}),
                IsEmpty());
}

TEST(Subtitles, WebVttEscapesMarkUp) {
    EXPECT_EQ(to_webvtt({{0, 1500 * 1'000'000LL, "a <b> & c --> d\nsecond"}}),
              "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\na &lt;b&gt; &amp; c --&gt; d second\n");
}

TEST(Subtitles, SubRipNumbersCuesAndUsesCommas) {
    EXPECT_EQ(to_subrip({{0, kSecond, "a"}, {kSecond, 2 * kSecond, "b"}}),
              "1\n00:00:00,000 --> 00:00:01,000\na\n\n2\n00:00:01,000 --> 00:00:02,000\nb\n\n");
}

TEST(Subtitles, SubRipTextIsNoMarkUp) {
    const std::string text = to_subrip({{0, kSecond, "a <i>b</i> {\\an8} --> c\n\n2\n"}});
    EXPECT_THAT(text, Not(HasSubstr("<i>")));
    EXPECT_THAT(text, Not(HasSubstr("{\\")));
    EXPECT_THAT(text.substr(35), Not(HasSubstr("-->")));
    EXPECT_THAT(text.substr(0, text.size() - 2), Not(HasSubstr("\n\n")));
}

TEST(Subtitles, TextIsValidUtf8) {
    EXPECT_THAT(to_webvtt({{0, kSecond,
                            "a\xFF"
                            "b"}}),
                HasSubstr("a\xEF\xBF\xBD"
                          "b"));
}

TEST(Subtitles, HoursGoBeyondADay) {
    EXPECT_EQ(clock_time(89'970 * kSecond + 1'234'567), "24:59:30.001");
    EXPECT_EQ(clock_time(360'000 * kSecond), "100:00:00.000");
}

TEST(Subtitles, RoundsToTheNearestMillisecond) {
    EXPECT_EQ(clock_time(33'366'667), "00:00:00.033");
}

TEST(CueCollector, TellsACueWhenItsSegmentEnds) {
    CueCollector cues;
    EXPECT_EQ(cues.update(update(1, 0, 40, false, "a")), std::nullopt);
    EXPECT_EQ(cues.open_start_ns(), 0);
    EXPECT_EQ(cues.update(update(1, 0, kSecond, true, "a")), (Cue{0, kSecond, "a"}));
    EXPECT_EQ(cues.open_start_ns(), std::nullopt);
}

TEST(CueCollector, ClosesASegmentWhoseEndWasNotTold) {
    CueCollector cues;
    cues.update(update(1, 0, kSecond, false, "a"));
    EXPECT_EQ(cues.update(update(2, 3 * kSecond, 4 * kSecond, false, "b")),
              (Cue{0, 3 * kSecond, "a"}));
    EXPECT_EQ(cues.finish(5 * kSecond), (Cue{3 * kSecond, 5 * kSecond, "b"}));
}

TEST(CueCollector, PartsOfACutSegmentTouchAndMerge) {
    CueCollector cues;
    cues.update(update(1, 0, kSecond, false, "a"));
    EXPECT_EQ(cues.cut(2 * kSecond), (Cue{0, 2 * kSecond, "a"}));
    EXPECT_EQ(cues.open_start_ns(), 2 * kSecond);
    EXPECT_EQ(cues.update(update(1, 0, 3 * kSecond, true, "a")),
              (Cue{2 * kSecond, 3 * kSecond, "a"}));
    EXPECT_THAT(in_order(cues.cues()), ElementsAre(Cue{0, 3 * kSecond, "a"}));
}

}  // namespace
}  // namespace seesay::pipeline
