// When frames are captioned: FrameClock, Sampler, LateGate and LatencyReport.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "elements/features/late_gate.hpp"
#include "elements/features/sampler.hpp"
#include "elements/inference/frame_clock.hpp"
#include "elements/inference/latency_report.hpp"

namespace seesay::elements {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

/// The sampled ones of frames at `times`.
std::vector<std::int64_t> sampled(const std::vector<std::int64_t>& times,
                                  std::int64_t interval_ns) {
    FrameClock clock;
    Sampler sampler;
    std::vector<std::int64_t> due;
    for (const std::int64_t time : times) {
        const FrameTime frame = clock.observe(time, std::nullopt, 0);
        if (sampler.due(frame.media_ns, interval_ns)) due.push_back(frame.pts_ns);
    }
    return due;
}

std::vector<std::int64_t> regular(int count, double rate) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < count; ++i)
        times.push_back(std::llround(i * 1e9 / rate));
    return times;
}

TEST(Sampler, TakesTheFirstFrameWhereverItLies) {
    EXPECT_EQ(sampled({1234 * kMs}, kSecond), (std::vector<std::int64_t>{1234 * kMs}));
}

TEST(Sampler, TakesOneFrameASecondAt120FramesASecond) {
    const auto due = sampled(regular(240, 120), kSecond);
    ASSERT_EQ(due.size(), 2U);
    EXPECT_EQ(due[1], kSecond);
}

TEST(Sampler, DoesNotDriftAtNtscRates) {
    const auto due = sampled(regular(30'000, 30'000.0 / 1'001), kSecond);
    ASSERT_EQ(due.size(), 1'001U);
    for (std::size_t i = 0; i < due.size(); ++i) {
        const auto late = due[i] - static_cast<std::int64_t>(i) * kSecond;
        EXPECT_GE(late, -kMs);
        EXPECT_LT(late, 34 * kMs);
    }
}

TEST(Sampler, TakesEachFrameAtMostOnceWhenFramesAreRare) {
    EXPECT_EQ(sampled(regular(30, 0.1), kSecond).size(), 30U);
}

TEST(Sampler, IntervalZeroTakesEveryFrame) {
    EXPECT_EQ(sampled({0, 0, 40 * kMs, 20 * kMs}, 0).size(), 4U);
}

TEST(Sampler, AGapMakesOneFrameDueAndTheGridStays) {
    std::vector<std::int64_t> times = regular(25, 25);
    for (int i = 0; i < 50; ++i)
        times.push_back(20 * kSecond + 300 * kMs + i * 40 * kMs);
    EXPECT_EQ(sampled(times, kSecond),
              (std::vector<std::int64_t>{0, 20'300 * kMs, 21'020 * kMs, 22'020 * kMs}));
}

TEST(Sampler, VariableRateKeepsTheInterval) {
    std::vector<std::int64_t> times = regular(30, 30);
    for (int i = 0; i < 60; ++i)
        times.push_back(kSecond + i * 200 * kMs);
    EXPECT_EQ(sampled(times, kSecond).size(), 13U);
}

TEST(Sampler, ContainersThatRoundToMillisecondsDoNotShiftTheGrid) {
    EXPECT_EQ(sampled({0, 999 * kMs + 500'000, 1'033 * kMs}, kSecond).back(), 999 * kMs + 500'000);
}

TEST(Sampler, DuplicateTimesAreOneMoment) {
    EXPECT_EQ(sampled({0, 0, 80 * kMs, 80 * kMs, kSecond, kSecond}, kSecond).size(), 2U);
}

TEST(Sampler, GoesOnAfterTheClockJumpsBack) {
    // 25 frames, then the same second again: media time has advanced by one second and one frame.
    std::vector<std::int64_t> times = regular(25, 25);
    for (int i = 0; i < 25; ++i)
        times.push_back(i * 40 * kMs);
    EXPECT_EQ(sampled(times, kSecond), (std::vector<std::int64_t>{0, 0}));
}

TEST(Sampler, SmallDisorderIsNotANewBeginning) {
    EXPECT_EQ(sampled({0, 120 * kMs, 40 * kMs, 80 * kMs, 240 * kMs}, kSecond).size(), 1U);
}

TEST(Sampler, AChangedIntervalTakesEffectAtOnce) {
    Sampler sampler;
    EXPECT_TRUE(sampler.due(0, 10 * kSecond));
    EXPECT_TRUE(sampler.due(kSecond, 2 * kSecond));
    EXPECT_FALSE(sampler.due(2 * kSecond, 2 * kSecond));
    EXPECT_TRUE(sampler.due(3 * kSecond, 2 * kSecond));
    EXPECT_EQ(sampler.next_due_ns(), 5 * kSecond);
}

TEST(Sampler, ResetMakesTheNextFrameTheFirst) {
    Sampler sampler;
    EXPECT_TRUE(sampler.due(0, kSecond));
    sampler.reset();
    EXPECT_TRUE(sampler.due(1, kSecond));
}

TEST(FrameClock, InterpolatesMissingTimes) {
    FrameClock clock;
    EXPECT_EQ(clock.observe(std::nullopt, 40 * kMs, 0).pts_ns, 0);
    EXPECT_EQ(clock.observe(std::nullopt, 40 * kMs, 0).pts_ns, 40 * kMs);
    EXPECT_EQ(clock.observe(100 * kMs, 40 * kMs, 0).pts_ns, 100 * kMs);
    EXPECT_EQ(clock.observe(std::nullopt, std::nullopt, 0).pts_ns, 140 * kMs);
}

TEST(FrameClock, WithoutAnyTimesCountsByTheCapsRate) {
    FrameClock clock;
    clock.observe(std::nullopt, std::nullopt, 100 * kMs);
    EXPECT_EQ(clock.observe(std::nullopt, std::nullopt, 100 * kMs).pts_ns, 100 * kMs);
}

TEST(FrameClock, WithoutAnythingTimeStillPasses) {
    FrameClock clock;
    clock.observe(std::nullopt, std::nullopt, 0);
    EXPECT_GT(clock.observe(std::nullopt, std::nullopt, 0).pts_ns, 0);
}

TEST(FrameClock, AHoleIsNoFrameDuration) {
    FrameClock clock;
    clock.observe(0, std::nullopt, 0);
    clock.observe(40 * kMs, std::nullopt, 0);
    EXPECT_EQ(clock.observe(20 * kSecond, std::nullopt, 0).duration_ns, 40 * kMs);
    EXPECT_EQ(clock.observe(20'040 * kMs, std::nullopt, 0).duration_ns, 40 * kMs);
}

TEST(FrameClock, DistrustsDurationsOfABogusRate) {
    FrameClock clock;
    clock.observe(0, 11'111, 11'111);
    EXPECT_EQ(clock.observe(40 * kMs, 11'111, 11'111).duration_ns, 40 * kMs);
}

TEST(FrameClock, TrustsAShortLastFrameOfASlowFilm) {
    FrameClock clock;
    clock.observe(0, 200 * kMs, 0);
    clock.observe(200 * kMs, 200 * kMs, 0);
    EXPECT_EQ(clock.observe(400 * kMs, 33 * kMs, 0).duration_ns, 33 * kMs);
}

TEST(FrameClock, MediaTimeNeverFalls) {
    FrameClock clock;
    std::int64_t last = -1;
    for (const std::int64_t time :
         {5 * kSecond, 4 * kSecond, 4'040 * kMs, 4'020 * kMs, std::int64_t{0}, 90'000 * kSecond}) {
        const auto media = clock.observe(time, std::nullopt, 0).media_ns;
        EXPECT_GE(media, last);
        last = media;
    }
}

TEST(FrameClock, ReportsJumpsBack) {
    FrameClock clock;
    EXPECT_FALSE(clock.observe(2 * kSecond, std::nullopt, 0).jumped_back);
    EXPECT_FALSE(clock.observe(1'900 * kMs, std::nullopt, 0).jumped_back);
    EXPECT_TRUE(clock.observe(kSecond, std::nullopt, 0).jumped_back);
}

// For UBSan; media time must hold still where it cannot go on.
TEST(FrameClock, ExtremeTimesDoNotOverflow) {
    constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
    constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
    FrameClock clock;
    Sampler sampler;
    std::int64_t last_ns = 0;
    for (int i = 0; i < 20; ++i) {
        for (const auto pts : {std::optional(kHighest), std::optional(kLowest),
                               std::optional<std::int64_t>(0), std::optional<std::int64_t>()}) {
            const FrameTime time = clock.observe(pts, kHighest, kHighest);
            EXPECT_GE(time.media_ns, last_ns);
            last_ns = time.media_ns;
            sampler.due(time.media_ns, kSecond);
        }
    }
}

TEST(LateGate, SkipsWhatDownstreamCannotShowInTime) {
    LateGate gate;
    EXPECT_FALSE(gate.skip(kSecond));
    gate.report(kSecond, 100 * kMs);
    EXPECT_TRUE(gate.skip(1'200 * kMs));
    EXPECT_FALSE(gate.skip(1'201 * kMs));
}

TEST(LateGate, EarlyFramesEndTheLateness) {
    LateGate gate;
    gate.report(kSecond, 100 * kMs);
    gate.report(kSecond, -10 * kMs);
    EXPECT_FALSE(gate.skip(kSecond));
}

TEST(LateGate, NeverSkipsMoreThanThreeInARow) {
    LateGate gate;
    gate.report(kSecond, 3'600 * kSecond);
    int taken = 0;
    for (int i = 0; i < 8; ++i)
        taken += gate.skip((2 + i) * kSecond) ? 0 : 1;
    EXPECT_EQ(taken, 2);
}

TEST(LateGate, ResetForgetsReports) {
    LateGate gate;
    gate.report(kSecond, kSecond);
    gate.reset();
    EXPECT_FALSE(gate.skip(kSecond));
}

TEST(LatencyReport, RisesAtOnceAndFallsWithHysteresis) {
    LatencyReport report;
    EXPECT_TRUE(report.observe(12 * kMs));
    EXPECT_EQ(report.reported_ns(), 15 * kMs);
    EXPECT_FALSE(report.observe(11 * kMs));
    EXPECT_TRUE(report.observe(101 * kMs));
    EXPECT_EQ(report.reported_ns(), 105 * kMs);
    int changes = 0;
    for (int i = 0; i < 16; ++i)
        changes += report.observe(12 * kMs) ? 1 : 0;
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(report.reported_ns(), 15 * kMs);
}

// For TSan: events and queries come from threads that are not the streaming thread.
TEST(LateGate, IsToldAndResetByOtherThreads) {
    LateGate gate;
    std::thread downstream([&] {
        for (int i = 0; i < 1000; ++i) {
            gate.report(i * kMs, kMs);
            if (i % 10 == 0) gate.reset();
        }
        gate.report(kSecond, kSecond);
    });
    for (int i = 0; i < 1000; ++i) {
        gate.skip(i * kMs);
    }
    downstream.join();
    EXPECT_FALSE(gate.skip(4 * kSecond));
    EXPECT_TRUE(gate.skip(2 * kSecond));
}

TEST(LatencyReport, IsReadByOtherThreads) {
    LatencyReport report;
    std::thread streaming([&] {
        for (int i = 1; i <= 1000; ++i) {
            report.observe(i * kMs);
        }
    });
    std::int64_t highest = 0;
    while (highest < 1000 * kMs) {
        const std::int64_t now = report.reported_ns();
        ASSERT_GE(now, highest);
        highest = now;
    }
    streaming.join();
}

}  // namespace
}  // namespace seesay::elements
