// InferenceLane: one under way, one waiting, newest wins, everybody who waits can be woken. No
// GStreamer: TSan sees all.
#include "elements/inference/inference_lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "tests/elements/fake_sessions.hpp"

namespace seesay::elements {
namespace {

using testing::kDeadline;
using Lane = InferenceLane<int, int>;
using Session = testing::FakeQueue<int, int>;

class InferenceLaneTest : public ::testing::Test {
 protected:
    void SetUp() override { start(); }
    void start() {
        lane_.start([session = session_](int request, Lane::Done done) {
            session->submit(request, std::move(done));
        });
    }
    static std::chrono::steady_clock::time_point soon() {
        return std::chrono::steady_clock::now() + kDeadline;
    }

    std::shared_ptr<Session> session_ =
        std::make_shared<Session>([](int request) { return request * 10; });
    Lane lane_;
};

TEST_F(InferenceLaneTest, RunWaitsForItsOwnResult) {
    EXPECT_EQ(lane_.run(1), 10);
    EXPECT_EQ(lane_.run(2), 20);
}

TEST_F(InferenceLaneTest, FlushWakesRunAndTheLateResultIsDropped) {
    session_->hold();
    std::thread flusher([&] {
        ASSERT_TRUE(session_->wait_for_requests(1));
        lane_.flush_start();
    });
    EXPECT_EQ(lane_.run(1), std::nullopt);
    flusher.join();
    EXPECT_EQ(lane_.run(2), std::nullopt) << "nothing is taken while flushing";
    lane_.flush_stop();
    session_->release(2);
    ASSERT_TRUE(session_->wait_for_results(1));
    EXPECT_EQ(lane_.run(3), 30);
}

TEST_F(InferenceLaneTest, StopWakesRunAndStartBeginsAfresh) {
    session_->hold();
    std::thread stopper([&] {
        ASSERT_TRUE(session_->wait_for_requests(1));
        lane_.stop();
    });
    EXPECT_EQ(lane_.run(1), std::nullopt);
    stopper.join();
    start();
    session_->release(2);
    EXPECT_EQ(lane_.run(2), 20);
}

TEST_F(InferenceLaneTest, TheNewestOfferWinsTheWaitingPlace) {
    session_->hold();
    EXPECT_EQ(lane_.offer(1), 0U);
    EXPECT_EQ(lane_.offer(2), 0U);
    EXPECT_EQ(lane_.offer(3), 1U);
    EXPECT_EQ(lane_.offer(4), 1U);
    EXPECT_EQ(lane_.pending(), 2U);
    EXPECT_EQ(lane_.poll(), std::nullopt);
    session_->release(2);
    ASSERT_TRUE(session_->wait_for_results(1));
    EXPECT_EQ(lane_.poll(), 10);
    ASSERT_TRUE(session_->wait_for_results(2));
    EXPECT_EQ(lane_.poll(), 40);
    EXPECT_EQ(session_->requests(), (std::vector<int>{1, 4}));
}

TEST_F(InferenceLaneTest, AResultNotYetFetchedIsNotOvertaken) {
    EXPECT_EQ(lane_.offer(1), 0U);
    ASSERT_TRUE(session_->wait_for_results(1));
    EXPECT_EQ(lane_.offer(2), 0U);
    EXPECT_EQ(lane_.poll(), 10);
    ASSERT_TRUE(session_->wait_for_results(2));
    EXPECT_EQ(lane_.poll(), 20);
}

TEST_F(InferenceLaneTest, WaitUntilDrainsInOrder) {
    session_->hold();
    lane_.offer(1);
    lane_.offer(2);
    session_->release(2);
    EXPECT_EQ(lane_.wait_until(soon()), 10);
    EXPECT_EQ(lane_.wait_until(soon()), 20);
    EXPECT_EQ(lane_.wait_until(soon()), std::nullopt);
}

TEST_F(InferenceLaneTest, WaitUntilEndsAtItsDeadline) {
    session_->hold();
    lane_.offer(1);
    EXPECT_EQ(lane_.wait_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(5)),
              std::nullopt);
    EXPECT_EQ(lane_.pending(), 1U);
    session_->release();
}

TEST_F(InferenceLaneTest, FlushWakesWaitUntil) {
    session_->hold();
    lane_.offer(1);
    std::thread flusher([&] { lane_.flush_start(); });
    EXPECT_EQ(lane_.wait_until(soon()), std::nullopt);
    flusher.join();
    session_->release();
}

TEST_F(InferenceLaneTest, AResultMayOutliveTheLane) {
    session_->hold();
    {
        Lane lane;
        lane.start([session = session_](int request, Lane::Done done) {
            session->submit(request, std::move(done));
        });
        lane.offer(1);
    }
    session_->release();
    EXPECT_TRUE(session_->wait_for_results(1));
}

TEST_F(InferenceLaneTest, StopReleasesTheSession) {
    lane_.offer(1);
    lane_.stop();
    EXPECT_EQ(session_.use_count(), 1);
}

TEST_F(InferenceLaneTest, ASessionStoppedInsideASubmitEndsOutsideTheLock) {
    std::thread last_result;
    bool delivered = false;
    // As a session whose thread delivers a last result while its last owner waits for the thread.
    std::shared_ptr<void> ending(this, [&](void*) {
        std::promise<std::size_t> promise;
        auto done = promise.get_future();
        last_result = std::thread(
            [this, promise = std::move(promise)]() mutable { promise.set_value(lane_.pending()); });
        delivered = done.wait_for(kDeadline) == std::future_status::ready;
    });
    lane_.start([this, session = std::move(ending)](int, const Lane::Done&) { lane_.stop(); });
    lane_.offer(1);
    last_result.join();
    EXPECT_TRUE(delivered);
}

TEST_F(InferenceLaneTest, AThrowingSessionLeavesTheLaneUsable) {
    bool broken = true;
    lane_.start([&](int request, Lane::Done done) {
        if (broken) throw std::runtime_error("closed");
        session_->submit(request, std::move(done));
    });
    EXPECT_THROW(lane_.offer(1), std::runtime_error);
    broken = false;
    EXPECT_EQ(lane_.run(2), 20);
}

// For TSan: all entrances at once.
TEST_F(InferenceLaneTest, SurvivesFlushesFromAnotherThread) {
    std::atomic<bool> ending{false};
    std::thread flusher([&] {
        while (!ending) {
            lane_.flush_start();
            lane_.flush_stop();
        }
    });
    for (int i = 1; i <= 500; ++i) {
        const auto result = lane_.run(i);
        EXPECT_TRUE(!result || *result == i * 10);
        lane_.offer(i);
        lane_.poll();
    }
    ending = true;
    flusher.join();
    lane_.stop();
}

}  // namespace
}  // namespace seesay::elements
