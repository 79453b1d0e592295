// The parts of delivery that need no network: the bounded queue and the cache of last values.
#include <gtest/gtest.h>
#include <poll.h>

#include <thread>
#include <vector>

#include "elements/events/last_values.hpp"
#include "elements/events/send_queue.hpp"

namespace seesay::elements {
namespace {

using std::chrono::milliseconds;
using Clock = LastValues::Clock;

EventMessage message(const std::string& topic, int number) {
    return {topic, R"({"sequence":)" + std::to_string(number) + R"(,"cached":false})", "bin"};
}

const Clock::time_point kStart{std::chrono::hours(1)};

TEST(LastValues, SendsTheLastEventAgainMarkedAsCached) {
    LastValues values(milliseconds(2000));
    values.store(message("seesay/1/cam1/caption/", 1));
    values.store(message("seesay/1/cam1/caption/", 2));
    EXPECT_TRUE(values.take_due(kStart).empty());
    values.subscribed("seesay/1/cam1/");
    const auto due = values.take_due(kStart);
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].topic, "seesay/1/cam1/caption/");
    EXPECT_EQ(due[0].json, R"({"sequence":2,"cached":true})");
    EXPECT_EQ(due[0].binary, "bin");
}

TEST(LastValues, AnswersOnlyTopicsUnderThePrefix) {
    LastValues values(milliseconds(2000));
    for (const char* topic :
         {"seesay/1/cam1/caption/", "seesay/1/cam1/status/", "seesay/1/cam10/caption/"}) {
        values.store(message(topic, 1));
    }
    values.subscribed("seesay/1/cam1/");
    EXPECT_EQ(values.take_due(kStart).size(), 2U);
    values.subscribed("seesay/1/cam10/caption/");
    EXPECT_EQ(values.take_due(kStart).size(), 1U);
    values.subscribed("zebra");
    values.subscribed("seesay/1/cam1/caption/and more");
    EXPECT_TRUE(values.take_due(kStart + milliseconds(5000)).empty());
    values.subscribed("");
    EXPECT_EQ(values.take_due(kStart + milliseconds(5000)).size(), 3U);
}

TEST(LastValues, ASecondRequestWaitsForTheInterval) {
    LastValues values(milliseconds(2000));
    values.store(message("t/", 1));
    values.subscribed("t/");
    EXPECT_EQ(values.take_due(kStart).size(), 1U);
    values.subscribed("t/");
    EXPECT_TRUE(values.take_due(kStart + milliseconds(1999)).empty());
    EXPECT_EQ(values.next_due(), kStart + milliseconds(2000));
    EXPECT_EQ(values.take_due(kStart + milliseconds(2000)).size(), 1U);
    EXPECT_FALSE(values.next_due());
}

TEST(LastValues, ANewEventAnswersWhoeverWaits) {
    LastValues values(milliseconds(2000));
    values.store(message("t/", 1));
    values.subscribed("t/");
    (void)values.take_due(kStart);
    values.subscribed("t/");
    values.store(message("t/", 2));
    EXPECT_FALSE(values.next_due());
}

TEST(LastValues, ForgetsAStreamThatLeft) {
    LastValues values(milliseconds(2000));
    values.store(message("seesay/1/cam1/caption/", 1));
    values.store(message("seesay/1/cam10/caption/", 1));
    values.forget("seesay/1/cam1/");
    values.subscribed("");
    const auto due = values.take_due(kStart);
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].topic, "seesay/1/cam10/caption/");
}

bool is_readable(int descriptor) {
    pollfd item{descriptor, POLLIN, 0};
    return ::poll(&item, 1, 0) == 1;
}

TEST(SendQueue, RefusesEventsBeyondItsCapacityButNoOtherOrder) {
    SendQueue queue(2);
    EXPECT_TRUE(queue.put({SendOrder::Kind::Event, nullptr, message("t/", 1)}));
    EXPECT_TRUE(queue.put({SendOrder::Kind::Event, nullptr, message("t/", 2)}));
    EXPECT_FALSE(queue.put({SendOrder::Kind::Event, nullptr, message("t/", 3)}));
    EXPECT_TRUE(queue.put({SendOrder::Kind::Stop, nullptr, {}}));
    EXPECT_EQ(queue.take().size(), 3U);
    EXPECT_TRUE(queue.put({SendOrder::Kind::Event, nullptr, message("t/", 4)}));
}

TEST(SendQueue, IsReadableWhileSomethingWaits) {
    SendQueue queue(10);
    EXPECT_FALSE(is_readable(queue.wake_descriptor()));
    queue.put({SendOrder::Kind::Event, nullptr, {}});
    queue.put({SendOrder::Kind::Event, nullptr, {}});
    EXPECT_TRUE(is_readable(queue.wake_descriptor()));
    (void)queue.take();
    EXPECT_FALSE(is_readable(queue.wake_descriptor()));
}

TEST(SendQueue, LosesNothingBetweenThreads) {
    constexpr int kThreads = 4;
    constexpr int kEach = 2000;
    SendQueue queue(kThreads * kEach);
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kThreads; ++writer) {
        writers.emplace_back([&queue, writer] {
            for (int number = 0; number < kEach; ++number) {
                queue.put({SendOrder::Kind::Event,
                           nullptr,
                           {std::to_string(writer), std::to_string(number), {}}});
            }
        });
    }
    std::vector<int> next(kThreads, 0);
    for (int read = 0; read < kThreads * kEach;) {
        pollfd item{queue.wake_descriptor(), POLLIN, 0};
        ASSERT_EQ(::poll(&item, 1, 20000), 1);
        for (const SendOrder& order : queue.take()) {
            ASSERT_EQ(std::stoi(order.message.json), next[std::stoul(order.message.topic)]++);
            ++read;
        }
    }
    for (auto& writer : writers) {
        writer.join();
    }
}

}  // namespace
}  // namespace seesay::elements
