// Which word is shown when.
#include <gtest/gtest.h>

#include "elements/overlay/word_clock.hpp"
#include "tests/elements/overlay_fixtures.hpp"

namespace seesay::overlay::testing {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

using Word = std::optional<std::size_t>;

TEST(WordClock, SharesTheExpectedHoldAmongTheWords) {
    WordClock clock;
    const auto update = make_update(make_caption("a dog runs fast"), 1, 5 * kSecond, kSecond);
    for (int frame = 0; frame < 25; ++frame) {
        EXPECT_EQ(clock.word_at(update, 5 * kSecond + frame * 40 * kMillisecond),
                  Word(frame * 4 / 25))
            << frame;
    }
}

TEST(WordClock, TakesTheCaptionIntervalWhereItIsKnown) {
    WordClock clock;
    auto update = std::make_shared<elements::CaptionUpdate>(
        *make_update(make_caption("a dog runs fast"), 1, 0, 40 * kMillisecond));
    update->interval_ns = 2 * kSecond;
    EXPECT_EQ(clock.word_at(update, 0), Word(0));
    EXPECT_EQ(clock.word_at(update, 600 * kMillisecond), Word(1));
    EXPECT_EQ(clock.word_at(update, 1900 * kMillisecond), Word(3));
}

TEST(WordClock, HoldsTheLastWordUntilTheNextUpdate) {
    WordClock clock;
    const auto update = make_update(make_caption("a dog"), 1, 0, kSecond);
    EXPECT_EQ(clock.word_at(update, 0), Word(0));
    EXPECT_EQ(clock.word_at(update, 3 * kSecond), Word(1));
    const auto next = make_update(make_caption("a dog"), 1, 3 * kSecond, kSecond);
    EXPECT_EQ(clock.word_at(next, 3 * kSecond), Word(0));
}

TEST(WordClock, CountsFromWhenALateUpdateIsFirstSeen) {
    WordClock clock;
    const auto update = make_update(make_caption("a dog runs fast"), 1, 0, kSecond);
    EXPECT_EQ(clock.word_at(update, 700 * kMillisecond), Word(0));
    EXPECT_EQ(clock.word_at(update, 960 * kMillisecond), Word(1));
}

TEST(WordClock, RunsOnOverUpdatesWithADurationOfTheUsers) {
    WordClock clock;
    clock.set_word_duration(400 * kMillisecond);
    const auto first = make_update(make_caption("a dog runs"), 7, 0, kSecond);
    const auto second = make_update(make_caption("a dog runs"), 7, kSecond, kSecond);
    EXPECT_EQ(clock.word_at(first, 0), Word(0));
    EXPECT_EQ(clock.word_at(first, 900 * kMillisecond), Word(2));
    EXPECT_EQ(clock.word_at(second, kSecond), Word(2));
    // The pause, then from the beginning.
    EXPECT_EQ(clock.word_at(second, 1300 * kMillisecond), Word());
    EXPECT_EQ(clock.word_at(second, 1650 * kMillisecond), Word(0));
    const auto other = make_update(make_caption("a cat"), 8, 2 * kSecond, kSecond);
    EXPECT_EQ(clock.word_at(other, 2 * kSecond), Word(0));
}

TEST(WordClock, LongCaptionsTakeTheirTimeAndRunOn) {
    WordClock clock;
    const auto caption = make_caption("a brown dog runs fast over the wet grass");
    const auto first = make_update(caption, 1, 0, kSecond);
    EXPECT_EQ(clock.word_at(first, 0), Word(0));
    EXPECT_EQ(clock.word_at(first, 240 * kMillisecond), Word(0));
    EXPECT_EQ(clock.word_at(first, 960 * kMillisecond), Word(3));
    EXPECT_EQ(clock.word_at(make_update(caption, 1, kSecond, kSecond), 1960 * kMillisecond),
              Word(7));
}

TEST(WordClock, DoesNotFlickerWhereEveryFrameIsCaptioned) {
    WordClock clock;
    std::vector<std::size_t> shown;
    for (int frame = 0; frame < 25; ++frame) {
        const std::int64_t pts = frame * 40 * kMillisecond;
        shown.push_back(
            clock
                .word_at(make_update(make_caption("a dog runs fast"), 1, pts, 40 * kMillisecond),
                         pts)
                .value());
    }
    EXPECT_EQ(shown.front(), 0U);
    EXPECT_EQ(shown.back(), 3U);
    EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
}

TEST(WordClock, CopesWithUnknownAndBackwardTimes) {
    WordClock clock;
    const auto update = make_update(make_caption("a dog"), 1, 10 * kSecond, kSecond);
    EXPECT_EQ(clock.word_at(update, -1), Word());
    EXPECT_EQ(clock.word_at(update, 10 * kSecond), Word(0));
    EXPECT_EQ(clock.word_at(update, 2 * kSecond), Word(0));
    auto undated = std::make_shared<elements::CaptionUpdate>(*update);
    undated->segment.end_ns = -1;
    EXPECT_EQ(clock.word_at(undated, 11 * kSecond), Word(0));
    auto endless = std::make_shared<elements::CaptionUpdate>(*update);
    endless->segment.end_ns = INT64_MAX;
    EXPECT_EQ(clock.word_at(endless, 12 * kSecond), Word(0));
    EXPECT_EQ(clock.word_at(endless, INT64_MAX), Word(1));
}

TEST(WordClock, HasNoWordForAnEmptyCaption) {
    WordClock clock;
    EXPECT_EQ(clock.word_at(make_update(make_caption("")), 0), Word());
}

TEST(WordClock, StartsAnewAfterAReset) {
    WordClock clock;
    const auto update = make_update(make_caption("a dog"), 1, 0, kSecond);
    clock.word_at(update, 0);
    EXPECT_EQ(clock.word_at(update, 600 * kMillisecond), Word(1));
    clock.reset();
    EXPECT_EQ(clock.word_at(update, 600 * kMillisecond), Word(0));
}

}  // namespace
}  // namespace seesay::overlay::testing
