// What subscribers see: a separate process reads the stream with plain pyzmq.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "elements/events/publisher.hpp"
#include "models/error.hpp"
#include "tests/elements/publish_fixtures.hpp"
#include "tests/elements/subprocess.hpp"

// ZeroMQ's library is not compiled for the thread sanitizer, which then sees its buffers but not
// its locks.
extern "C" const char* __tsan_default_suppressions() {
    return "called_from_lib:libzmq.so\n";
}

namespace seesay::elements {
namespace {

using nlohmann::json;
using seesay::testing::numbered_update;
using seesay::testing::Subprocess;
using seesay::testing::TemporaryFolder;
using std::chrono::milliseconds;

Subprocess script(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {SEESAY_PYTHON, SEESAY_PUBLISH_SCRIPTS "/event_subscriber.py"});
    return Subprocess(arguments, true);
}

/// The next event that the script printed; throws what it printed instead.
json next_event(Subprocess& subscriber) {
    const auto line = subscriber.read_line();
    if (!line) {
        throw Error("the subscriber ended or heard nothing");
    }
    return json::parse(*line);
}

TEST(EventStream, ArrivesInThreeFramesWithAttention) {
    EndpointRegistry registry;
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    Subprocess subscriber = script({"read", publisher.bound_endpoint(), "3", "seesay/1/cam1/"});
    const json status = next_event(subscriber);
    EXPECT_EQ(status["topic"], "seesay/1/cam1/status/");
    EXPECT_EQ(status["event"]["sockets"][0]["endpoint"], publisher.bound_endpoint());
    publisher.publish(*numbered_update(1));
    publisher.publish(*numbered_update(2, "a cat"));
    const json first = next_event(subscriber);
    EXPECT_EQ(first["topic"], "seesay/1/cam1/caption/");
    EXPECT_EQ(first["event"]["sequence"], 1);
    EXPECT_EQ(first["event"]["run_id"], publisher.run_id());
    EXPECT_EQ(first["event"]["cached"], false);
    ASSERT_EQ(first["attention"].size(), 3U);
    EXPECT_EQ(first["attention"][2], json({0.0, 0.0, 1.0, 0.0, 0.0, 0.0}));
    const json second = next_event(subscriber);
    EXPECT_EQ(second["event"]["sequence"], 2);
    EXPECT_EQ(second["event"]["text"], "a cat");
}

TEST(EventStream, Cam1NeverReceivesCam10) {
    EndpointRegistry registry;
    Publisher cam1(registry, "tcp://127.0.0.1:*", "cam1");
    Publisher cam10(registry, "tcp://127.0.0.1:*", "cam10");
    ASSERT_EQ(cam1.bound_endpoint(), cam10.bound_endpoint());
    Subprocess subscriber = script({"read", cam1.bound_endpoint(), "5", "seesay/1/cam1/"});
    EXPECT_EQ(next_event(subscriber)["event"]["stream"], "cam1");  // the cached status
    for (int number = 1; number <= 4; ++number) {
        cam10.publish(*numbered_update(number));
        cam1.publish(*numbered_update(number));
        EXPECT_EQ(next_event(subscriber)["event"]["stream"], "cam1");
    }
}

TEST(EventStream, ALateJoinerGetsTheLastValueWithItsNumber) {
    EndpointRegistry registry;
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    for (int number = 1; number <= 7; ++number) {
        publisher.publish(*numbered_update(number));
    }
    Subprocess late = script({"read", publisher.bound_endpoint(), "2", "seesay/1/cam1/caption/"});
    const json cached = next_event(late);
    EXPECT_EQ(cached["event"]["sequence"], 7);
    EXPECT_EQ(cached["event"]["cached"], true);
    EXPECT_EQ(cached["attention"].size(), 3U);
    publisher.publish(*numbered_update(8));
    const json live = next_event(late);
    EXPECT_EQ(live["event"]["sequence"], 8);
    EXPECT_EQ(live["event"]["cached"], false);
}

TEST(EventStream, ASecondLateJoinerIsServedToo) {
    EndpointOptions options;
    options.resend_interval = milliseconds(50);
    EndpointRegistry registry(options);
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    publisher.publish(*numbered_update(1));
    Subprocess first = script({"read", publisher.bound_endpoint(), "1", "seesay/1/cam1/caption/"});
    Subprocess second = script({"read", publisher.bound_endpoint(), "1", "seesay/1/cam1/caption/"});
    EXPECT_EQ(next_event(first)["event"]["sequence"], 1);
    EXPECT_EQ(next_event(second)["event"]["sequence"], 1);
}

TEST(EventStream, ARestartOnTheSameEndpointIsANewRun) {
    const TemporaryFolder folder;
    const std::string endpoint = "ipc://" + folder.path() + "/restart.sock";
    EndpointRegistry registry;
    auto publisher = std::make_unique<Publisher>(registry, endpoint, "cam1");
    publisher->publish(*numbered_update(1));
    publisher->publish(*numbered_update(2));
    Subprocess subscriber = script({"read", endpoint, "2", "seesay/1/cam1/caption/"});
    const json before = next_event(subscriber);
    EXPECT_EQ(before["event"]["sequence"], 2);
    publisher.reset();
    publisher = std::make_unique<Publisher>(registry, endpoint, "cam1");
    publisher->publish(*numbered_update(1));
    const json after = next_event(subscriber);
    EXPECT_EQ(after["event"]["sequence"], 1);
    EXPECT_EQ(after["event"]["run_id"], publisher->run_id());
    EXPECT_NE(after["event"]["run_id"], before["event"]["run_id"]);
}

TEST(EventStream, ASlowSubscriberCostsOnlyItself) {
    EndpointOptions options;
    options.high_water_mark = 20;
    EndpointRegistry registry(options);
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    publisher.publish(*numbered_update(1));
    constexpr int kEvents = 1000;
    Subprocess slow = script({"stall", publisher.bound_endpoint(), "seesay/1/cam1/caption/"});
    ASSERT_EQ(slow.read_line(), "1");
    Subprocess fast = script(
        {"read", publisher.bound_endpoint(), std::to_string(kEvents), "seesay/1/cam1/caption/"});
    EXPECT_EQ(next_event(fast)["event"]["sequence"], 1);
    // Events of 20 kB soon fill the slow one's connection; each is sent when the fast one has read
    // the one before.
    const std::string long_text(20000, 'x');
    for (int number = 2; number <= kEvents; ++number) {
        publisher.publish(*numbered_update(number, long_text));
        ASSERT_EQ(next_event(fast)["event"]["sequence"], number);
    }
    EXPECT_EQ(publisher.counters()->unsent, 0U);
    slow.write("go\n");
    // What the slow one reads makes room; the event that it waits for is sent until it arrives.
    std::optional<std::string> read;
    for (int number = kEvents + 1; !read && number < kEvents + 1000; ++number) {
        publisher.publish(*numbered_update(number, "last"));
        read = slow.read_line(milliseconds(20));
    }
    ASSERT_TRUE(read);
    const auto numbers = json::parse(*read).get<std::vector<int>>();
    // 20 here, 5 there and the buffers of the connection (at most 6 MB of 20 kB each).
    EXPECT_LT(numbers.size(), 400U);
    EXPECT_GT(numbers.back(), kEvents);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST(EventStream, GarbageFromAPeerHarmsNobody) {
    EndpointOptions options;
    options.resend_interval = milliseconds(20);
    EndpointRegistry registry(options);
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    publisher.publish(*numbered_update(1));
    Subprocess peer = script({"garbage", publisher.bound_endpoint()});
    EXPECT_EQ(peer.read_line(), "done");
    Subprocess subscriber =
        script({"read", publisher.bound_endpoint(), "2", "seesay/1/cam1/caption/"});
    EXPECT_EQ(next_event(subscriber)["event"]["sequence"], 1);
    publisher.publish(*numbered_update(2));
    EXPECT_EQ(next_event(subscriber)["event"]["sequence"], 2);
}

TEST(EventStream, FiftySubscribersComeAndGo) {
    EndpointOptions options;
    options.resend_interval = milliseconds(20);
    EndpointRegistry registry(options);
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    Subprocess crowd = script({"crowd", publisher.bound_endpoint(), "50", "5"});
    std::optional<std::string> done;
    for (int number = 1; !done && number < 2000; ++number) {
        publisher.publish(*numbered_update(number));
        done = crowd.read_line(milliseconds(20));
    }
    EXPECT_EQ(done, "done");
    EXPECT_EQ(publisher.counters()->unsent, 0U);
}

TEST(EventStream, StatusComesAtTheStartAtIntervalsAndAtTheEnd) {
    EndpointOptions options;
    options.status_interval = milliseconds(30);
    EndpointRegistry registry(options);
    auto publisher = std::make_unique<Publisher>(registry, "tcp://127.0.0.1:*", "cam1");
    Subprocess subscriber =
        script({"read", publisher->bound_endpoint(), "1000", "seesay/1/cam1/status/"});
    json event = next_event(subscriber)["event"];
    int last = event["sequence"];
    for (int count = 0; count < 3; ++count) {
        event = next_event(subscriber)["event"];
        EXPECT_EQ(event["sequence"], ++last);
        EXPECT_EQ(event["final"], false);
        EXPECT_EQ(event["subscribers"], 1);
    }
    publisher->count_frame();
    publisher->count_frame();
    publisher->publish(*numbered_update(1));
    publisher.reset();
    while (event["final"] == false) {
        event = next_event(subscriber)["event"];
        EXPECT_EQ(event["sequence"], ++last);
    }
    EXPECT_EQ(event["counters"]["frames"], 2);
    EXPECT_EQ(event["counters"]["captions"], 1);
    EXPECT_EQ(event["counters"]["sent"], last + 1);
    EXPECT_EQ(event["dropped"], json({{"late", 2}, {"queue", 3}, {"unsent", 0}}));
}

TEST(EventStream, FinalStatusIsSentOnceAndALaterEventTakesTheStreamUpAgain) {
    EndpointOptions options;
    options.status_interval = std::chrono::hours(1);
    EndpointRegistry registry(options);
    auto publisher = std::make_unique<Publisher>(registry, "tcp://127.0.0.1:*", "cam1");
    Subprocess subscriber = script({"read", publisher->bound_endpoint(), "5", "seesay/1/cam1/"});
    EXPECT_EQ(next_event(subscriber)["event"]["sequence"], 1);
    publisher->finish();
    publisher->finish();
    EXPECT_EQ(next_event(subscriber)["event"]["final"], true);
    publisher->publish(*numbered_update(1));
    EXPECT_EQ(next_event(subscriber)["event"]["kind"], "caption");
    publisher->finish();
    publisher.reset();
    const json last = next_event(subscriber)["event"];
    EXPECT_EQ(last["final"], true);
    EXPECT_EQ(last["sequence"], 3);
    EXPECT_EQ(subscriber.read_line(milliseconds(0)), std::nullopt);
}

TEST(EventStream, AFullQueueShowsAsAGapAndInTheStatus) {
    EndpointOptions options;
    options.queued_events = 0;
    EndpointRegistry registry(options);
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    publisher.publish(*numbered_update(1));
    publisher.publish(*numbered_update(2));
    EXPECT_EQ(publisher.counters()->unsent, 2U);
    EXPECT_EQ(publisher.counters()->captions, 2U);
    publisher.finish();
    Subprocess subscriber = script({"read", publisher.bound_endpoint(), "1", "seesay/1/cam1/"});
    const json status = next_event(subscriber)["event"];
    EXPECT_EQ(status["dropped"]["unsent"], 2);
    EXPECT_EQ(status["counters"]["captions"], 2);
}

TEST(Publisher, AStreamNameIsUniqueOnAnEndpointWhileItIsUsed) {
    EndpointRegistry registry;
    auto first = std::make_unique<Publisher>(registry, "tcp://127.0.0.1:*", "cam1");
    EXPECT_THROW(Publisher(registry, "tcp://127.0.0.1:*", "cam1"), Error);
    Publisher other(registry, "tcp://127.0.0.1:*", "cam2");
    first.reset();
    EXPECT_NO_THROW(Publisher(registry, "tcp://127.0.0.1:*", "cam1"));
}

TEST(Publisher, RefusesANameThatIsNone) {
    EndpointRegistry registry;
    EXPECT_THROW(Publisher(registry, "", "a/b"), Error);
    EXPECT_THROW(Publisher(registry, "", ""), Error);
}

TEST(Publisher, NumbersEventsWithoutAnEndpoint) {
    EndpointRegistry registry;
    Publisher publisher(registry, "", "film.mp4");
    EXPECT_EQ(publisher.publish(*numbered_update(1))["sequence"], 1);
    EXPECT_EQ(publisher.publish(*numbered_update(2))["sequence"], 2);
    EXPECT_EQ(publisher.bound_endpoint(), "");
}

TEST(Publisher, StreamsMayComeAndGoFromManyThreads) {
    EndpointRegistry registry;
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int round = 0; round < 20; ++round) {
                const std::string endpoint =
                    "ipc://" + folder.path() + "/" + std::to_string(round % 2);
                Publisher publisher(registry, endpoint, "cam" + std::to_string(thread));
                for (int number = 1; number <= 10; ++number) {
                    publisher.count_frame();
                    publisher.publish(*numbered_update(number));
                }
                publisher.finish();
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(std::filesystem::is_empty(folder.path()), true);
}

}  // namespace
}  // namespace seesay::elements
