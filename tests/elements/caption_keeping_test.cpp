// Which caption holds, the segments that come of it, and the line of cues: CaptionKeeper, CueLine,
// TextQueue.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "elements/caption/caption_keeper.hpp"
#include "elements/caption/cue_line.hpp"
#include "elements/caption/text_queue.hpp"

namespace seesay::elements {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;
constexpr double kMargin = 0.3;

std::shared_ptr<const language::Caption> caption(const std::string& text, std::int64_t pts_ns,
                                                 double score) {
    auto made = std::make_shared<language::Caption>();
    made->text = text;
    made->score = score;
    made->frame.pts_ns = pts_ns;
    return made;
}

class CaptionKeeperTest : public ::testing::Test {
 protected:
    std::vector<CaptionKeeper::Update> decide(
        const std::string& text, std::int64_t pts_ns, double score = -1.0,
        std::shared_ptr<const language::Caption> previous = nullptr, double margin = kMargin) {
        CaptionFinding finding;
        finding.caption = caption(text, pts_ns, score);
        finding.previous = std::move(previous);
        finding.duration_ns = 40 * kMs;
        finding.latency_total_ns = 7;
        finding.dropped = {1, 2};
        return keeper_.decide(finding, margin);
    }
    CaptionKeeper keeper_;
};

TEST_F(CaptionKeeperTest, FirstTextOpensTheFirstSegment) {
    const auto updates = decide("a dog", 5 * kSecond);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0]->segment.id, 1U);
    EXPECT_EQ(updates[0]->segment.revision, 1U);
    EXPECT_EQ(updates[0]->segment.start_ns, 5 * kSecond);
    EXPECT_EQ(updates[0]->segment.end_ns, 5'040 * kMs);
    EXPECT_FALSE(updates[0]->segment.final);
    EXPECT_EQ(updates[0]->latency_total_ns, 7);
    EXPECT_EQ(updates[0]->dropped.queue, 2U);
    EXPECT_EQ(keeper_.current(), updates[0]);
}

TEST_F(CaptionKeeperTest, TheSameTextIsConfirmed) {
    decide("a dog", 0);
    const auto updates = decide("a dog", kSecond, -2.0);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0]->segment.id, 1U);
    EXPECT_EQ(updates[0]->segment.revision, 2U);
    EXPECT_EQ(updates[0]->segment.start_ns, 0);
    EXPECT_EQ(updates[0]->segment.end_ns, 1'040 * kMs);
    EXPECT_EQ(updates[0]->caption->frame.pts_ns, kSecond) << "the caption describes the new frame";
}

TEST_F(CaptionKeeperTest, ANearlyAsGoodTextIsKeptWithItsRescoring) {
    decide("a dog", 0);
    const auto rescored = caption("a dog", kSecond, -1.2);
    const auto updates = decide("a brown dog", kSecond, -1.0, rescored);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0]->segment.revision, 2U);
    EXPECT_EQ(updates[0]->caption, rescored);
}

TEST_F(CaptionKeeperTest, ABetterTextEndsTheSegmentFirst) {
    decide("a dog", 0);
    decide("a dog", kSecond);
    const auto updates = decide("a cat", 2 * kSecond, -1.0, caption("a dog", 2 * kSecond, -4.0));
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_EQ(updates[0]->segment.id, 1U);
    EXPECT_EQ(updates[0]->segment.revision, 2U);
    EXPECT_TRUE(updates[0]->segment.final);
    EXPECT_EQ(updates[0]->segment.end_ns, 2 * kSecond);
    EXPECT_EQ(updates[0]->caption->text, "a dog");
    EXPECT_EQ(updates[1]->segment.id, 2U);
    EXPECT_EQ(updates[1]->segment.revision, 1U);
    EXPECT_EQ(updates[1]->segment.start_ns, 2 * kSecond);
    EXPECT_FALSE(updates[1]->segment.final);
}

TEST_F(CaptionKeeperTest, MarginZeroAlwaysTakesTheNewest) {
    decide("a dog", 0);
    EXPECT_EQ(decide("a cat", kSecond, -3.0, caption("a dog", kSecond, -1.0), 0.0).size(), 2U);
}

TEST_F(CaptionKeeperTest, WithoutARescoringTheNewestIsTaken) {
    decide("a dog", 0);
    EXPECT_EQ(decide("a cat", kSecond).size(), 2U);
}

TEST_F(CaptionKeeperTest, AScoreThatIsNoNumberIsNotKept) {
    decide("a dog", 0);
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(decide("a cat", kSecond, -1.0, caption("a dog", kSecond, nan)).size(), 2U);
}

TEST_F(CaptionKeeperTest, FinishTellsTheTrueEndOnce) {
    decide("a dog", 0);
    const auto last = keeper_.finish(3 * kSecond);
    ASSERT_NE(last, nullptr);
    EXPECT_TRUE(last->segment.final);
    EXPECT_EQ(last->segment.end_ns, 3 * kSecond);
    EXPECT_EQ(last->segment.revision, 1U);
    EXPECT_EQ(keeper_.current(), nullptr);
    EXPECT_EQ(keeper_.finish(4 * kSecond), nullptr);
}

TEST_F(CaptionKeeperTest, IdsGoOnAfterACutAndBeginAgainAfterAReset) {
    decide("a dog", 0);
    keeper_.finish(kSecond);
    EXPECT_EQ(decide("a dog", 0).at(0)->segment.id, 2U);
    keeper_.reset();
    EXPECT_EQ(decide("a dog", 0).at(0)->segment.id, 1U);
}

TEST_F(CaptionKeeperTest, TheEndIsLaterThanTheStart) {
    CaptionFinding finding;
    finding.caption = caption("a dog", kSecond, -1.0);
    const auto opened = keeper_.decide(finding, kMargin);
    EXPECT_GT(opened[0]->segment.end_ns, kSecond);
    EXPECT_GT(keeper_.finish(0)->segment.end_ns, kSecond);
}

TEST_F(CaptionKeeperTest, AJumpBackIsACutEvenIfTheTextStays) {
    decide("a dog", 10 * kSecond);
    decide("a dog", 11 * kSecond);
    const auto updates = decide("a dog", 2 * kSecond);
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_TRUE(updates[0]->segment.final);
    EXPECT_EQ(updates[0]->segment.end_ns, 11'040 * kMs);
    EXPECT_EQ(updates[1]->segment.id, 2U);
    EXPECT_EQ(updates[1]->segment.start_ns, 2 * kSecond);
}

TEST_F(CaptionKeeperTest, FramesSlightlyOutOfOrderDoNotCut) {
    decide("a dog", 0);
    decide("a dog", 120 * kMs);
    const auto updates = decide("a dog", 40 * kMs);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0]->segment.end_ns, 160 * kMs) << "an end never moves back";
}

class CueLineTest : public ::testing::Test {
 protected:
    /// A 40 ms frame at `start_ms`.
    std::vector<Cue> at(std::int64_t start_ms, const std::string& text,
                        std::optional<std::int64_t> decided_ms = std::nullopt) {
        std::vector<Cue> cues =
            line_.advance(start_ms * kMs, 40 * kMs, text,
                          decided_ms ? std::optional(*decided_ms * kMs) : std::nullopt);
        all_.insert(all_.end(), cues.begin(), cues.end());
        return cues;
    }
    static Cue cue(std::int64_t start_ms, std::int64_t end_ms, const std::string& text) {
        return {start_ms * kMs, end_ms * kMs, text};
    }
    void expect_contiguous() const {
        for (std::size_t i = 1; i < all_.size(); ++i)
            EXPECT_EQ(all_[i].start_ns, all_[i - 1].end_ns) << i;
        for (const Cue& one : all_)
            EXPECT_LT(one.start_ns, one.end_ns);
    }
    CueLine line_;
    std::vector<Cue> all_;
};

TEST_F(CueLineTest, WithoutACaptionThereAreGaps) {
    EXPECT_EQ(at(0, ""), std::vector{cue(0, 40, "")});
    EXPECT_EQ(at(40, ""), std::vector{cue(40, 80, "")});
}

TEST_F(CueLineTest, ADecisionIsACueUntilTheNextDecision) {
    EXPECT_EQ(at(0, "dog", 1000), std::vector{cue(0, 1000, "dog")});
    for (int i = 40; i < 1000; i += 40)
        EXPECT_TRUE(at(i, "dog").empty());
    EXPECT_EQ(at(1000, "cat", 1000), std::vector{cue(1000, 2000, "cat")});
}

TEST_F(CueLineTest, CuesAreNoLongerThanFiveSecondsAndGoOn) {
    EXPECT_EQ(at(0, "dog", 12'000), std::vector{cue(0, 5000, "dog")});
    EXPECT_EQ(at(5000, "dog"), std::vector{cue(5000, 10'000, "dog")});
    EXPECT_EQ(at(10'000, "dog"), std::vector{cue(10'000, 12'000, "dog")});
    EXPECT_EQ(at(12'000, "cat", 12'000), std::vector{cue(12'000, 17'000, "cat")});
    expect_contiguous();
}

TEST_F(CueLineTest, TheSliverBeforeTheNextFrameBelongsToTheSameText) {
    at(0, "dog", 1000);
    EXPECT_EQ(at(1001, "dog", 999), std::vector{cue(1000, 2000, "dog")});
    EXPECT_EQ(at(2002, "cat", 998), (std::vector{cue(2000, 2002, ""), cue(2002, 3000, "cat")}));
    expect_contiguous();
}

TEST_F(CueLineTest, AHoleInTheVideoIsAGap) {
    at(0, "dog", 1000);
    EXPECT_EQ(at(20'000, "dog", 1000),
              (std::vector{cue(1000, 20'000, ""), cue(20'000, 21'000, "dog")}));
    expect_contiguous();
}

TEST_F(CueLineTest, AnOverdueDecisionIsBridged) {
    at(0, "dog", 1000);
    EXPECT_EQ(at(1000, "dog"), std::vector{cue(1000, 1250, "dog")});
    EXPECT_TRUE(at(1040, "dog").empty());
    EXPECT_EQ(at(1280, "dog"), std::vector{cue(1250, 1530, "dog")});
    expect_contiguous();
}

TEST_F(CueLineTest, ATextThatComesEarlyFollowsTheRunningCue) {
    at(0, "dog", 1000);
    EXPECT_EQ(at(900, "cat", 1000), std::vector{cue(1000, 1900, "cat")});
    expect_contiguous();
}

TEST_F(CueLineTest, TimeThatRunsBackwardsPutsNothingOut) {
    at(5000, "dog", 1000);
    EXPECT_TRUE(at(1000, "dog").empty());
    EXPECT_TRUE(at(1040, "").empty());
    expect_contiguous();
}

TEST_F(CueLineTest, EveryFrameDecidedIsOneCueAFrame) {
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(at(i * 40, i % 2 == 0 ? "dog" : "cat", 0).size(), 1U);
    expect_contiguous();
}

TEST_F(CueLineTest, ResetBeginsAnewAnywhere) {
    at(5000, "dog", 1000);
    line_.reset();
    EXPECT_EQ(at(0, "cat", 1000), std::vector{cue(0, 1000, "cat")});
}

TextItem text(std::int64_t start, std::int64_t end, const std::string& text) {
    TextItem item;
    item.cue = {start, end, text};
    return item;
}
TextItem event(int number, bool lasting = false) {
    TextItem item;
    item.event = std::make_shared<int>(number);
    item.lasting = lasting;
    return item;
}

TEST(TextQueue, GivesItemsInOrder) {
    TextQueue queue;
    queue.stop_flushing();
    queue.push(text(0, 1, "a"));
    queue.push(event(1));
    queue.push(text(1, 2, "b"));
    EXPECT_EQ(queue.pop()->cue.text, "a");
    EXPECT_NE(queue.pop()->event, nullptr);
    EXPECT_EQ(queue.pop()->cue.text, "b");
}

TEST(TextQueue, NeighbouringGapsBecomeOne) {
    TextQueue queue;
    queue.stop_flushing();
    for (int i = 0; i < 100; ++i)
        queue.push(text(i, i + 1, ""));
    EXPECT_EQ(queue.pop()->cue, (Cue{0, 100, ""}));
    queue.push(event(1));
    EXPECT_NE(queue.pop()->event, nullptr);
}

TEST(TextQueue, ThrowsTheOldestCueAwayAndNeverAnEvent) {
    TextQueue queue(2);
    queue.stop_flushing();
    queue.push(event(1));
    for (int i = 0; i < 5; ++i)
        queue.push(text(i, i + 1, "x"));
    EXPECT_EQ(queue.overflowed(), 3U);
    EXPECT_NE(queue.pop()->event, nullptr);
    EXPECT_EQ(queue.pop()->cue.start_ns, 3);
    EXPECT_EQ(queue.pop()->cue.start_ns, 4);
}

TEST(TextQueue, FlushingWakesTheReaderAndKeepsLastingEvents) {
    TextQueue queue;
    queue.stop_flushing();
    std::thread reader([&] { EXPECT_EQ(queue.pop(), std::nullopt); });
    queue.start_flushing();
    reader.join();
    queue.push(text(0, 1, "refused"));
    queue.stop_flushing();
    queue.push(event(1, true));
    queue.push(event(2));
    queue.push(text(0, 1, "a"));
    queue.start_flushing();
    queue.stop_flushing();
    queue.push(event(3));
    EXPECT_EQ(*std::static_pointer_cast<int>(queue.pop()->event), 1);
    EXPECT_EQ(*std::static_pointer_cast<int>(queue.pop()->event), 3);
}

TEST(TextQueue, WakesAWaitingReader) {
    TextQueue queue;
    queue.stop_flushing();
    std::thread reader([&] { EXPECT_EQ(queue.pop()->cue.text, "a"); });
    queue.push(text(0, 1, "a"));
    reader.join();
}

}  // namespace
}  // namespace seesay::elements
