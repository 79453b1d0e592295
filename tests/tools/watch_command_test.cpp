// `seesay watch` as a process: what it prints, what it reports, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <zmq.hpp>

#include "elements/events/publisher.hpp"
#include "tests/elements/publish_fixtures.hpp"
#include "tests/elements/subprocess.hpp"

namespace seesay::tools {
namespace {

using elements::EndpointRegistry;
using elements::Publisher;
using nlohmann::json;
using seesay::testing::numbered_update;
using seesay::testing::Subprocess;
using seesay::testing::TemporaryFolder;
using ::testing::HasSubstr;

/// Runs `watch`; notices are captured with the events where `with_notices` is set.
Subprocess watch(std::vector<std::string> arguments, bool with_notices = false) {
    arguments.insert(arguments.begin(), {SEESAY_WATCH_PROGRAM, "watch"});
    return Subprocess(arguments, with_notices);
}

/// Reads lines until one contains `part`; that line, or what was read if none did.
std::string line_with(Subprocess& process, const std::string& part) {
    std::string all;
    while (const auto line = process.read_line()) {
        if (line->find(part) != std::string::npos) {
            return *line;
        }
        all += *line + '\n';
    }
    return "no line with it in: " + all;
}

TEST(Watch, PrintsTimeStreamAndText) {
    EndpointRegistry registry;
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    publisher.publish(*numbered_update(3661));
    Subprocess process = watch({publisher.bound_endpoint(), "--count", "2"});
    EXPECT_EQ(process.read_line(), "01:01:01.000  cam1  a dog runs");
    elements::CaptionUpdate last = *numbered_update(3662);
    last.segment.final = true;
    publisher.publish(last);
    EXPECT_EQ(process.read_line(), "00:00:01.000-01:01:03.000  cam1  a dog runs");
    EXPECT_EQ(process.wait(), 0);
}

TEST(Watch, PrintsJsonOfEveryKindAsItWasPublished) {
    EndpointRegistry registry;
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    Subprocess process = watch({publisher.bound_endpoint(), "--json", "--count", "2"});
    EXPECT_EQ(json::parse(process.read_line().value_or("null"))["kind"], "status");
    const std::string published = publisher.publish(*numbered_update(1)).dump();
    EXPECT_EQ(process.read_line(), published);
    EXPECT_EQ(process.wait(), 0);
}

TEST(Watch, PrintsOneStreamIfAskedTo) {
    EndpointRegistry registry;
    Publisher cam10(registry, "tcp://127.0.0.1:*", "cam10");
    Publisher cam1(registry, "tcp://127.0.0.1:*", "cam1");
    cam10.publish(*numbered_update(1));
    cam1.publish(*numbered_update(2));
    Subprocess process = watch({cam1.bound_endpoint(), "--stream", "cam1", "--count", "1"});
    EXPECT_EQ(process.read_line(), "00:00:02.000  cam1  a dog runs");
}

TEST(Watch, ConnectsAgainAndTellsOfTheRestart) {
    const TemporaryFolder folder;
    const std::string endpoint = "ipc://" + folder.path() + "/cam.sock";
    EndpointRegistry registry;
    Subprocess process = watch({endpoint}, true);  // nobody publishes yet
    auto publisher = std::make_unique<Publisher>(registry, endpoint, "cam1");
    publisher->publish(*numbered_update(1));
    EXPECT_THAT(line_with(process, "connected"), HasSubstr(endpoint));
    EXPECT_THAT(line_with(process, "a dog"), HasSubstr("00:00:01.000"));
    publisher.reset();
    EXPECT_THAT(line_with(process, "lost the connection"), HasSubstr(endpoint));
    publisher = std::make_unique<Publisher>(registry, endpoint, "cam1");
    publisher->publish(*numbered_update(5));
    EXPECT_THAT(line_with(process, "started again"), HasSubstr(publisher->run_id()));
    EXPECT_THAT(line_with(process, "a dog"), HasSubstr("00:00:05.000"));
}

/// Sends chosen messages: a publisher that does what ours never does.
class OddPublisher {
 public:
    OddPublisher() : socket_(context_, zmq::socket_type::xpub) {
        socket_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::rcvtimeo, 20000);
        socket_.bind("tcp://127.0.0.1:*");
    }
    std::string endpoint() const { return socket_.get(zmq::sockopt::last_endpoint); }
    void wait_for_subscriber() {
        zmq::message_t subscription;
        ASSERT_TRUE(socket_.recv(subscription));
    }
    void send(const std::vector<std::string>& frames) {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            socket_.send(zmq::buffer(frames[i]),
                         i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
        }
    }
    void send_caption(std::uint64_t sequence, const std::string& text = "a dog runs") {
        elements::EventHeader header = seesay::testing::header();
        header.sequence = sequence;
        auto event = elements::caption_event(header, *numbered_update(static_cast<int>(sequence)));
        event["text"] = text;
        send({"seesay/1/cam1/caption/", elements::to_line(event),
              elements::attention_bytes(seesay::testing::grid_caption())});
    }

 private:
    zmq::context_t context_;
    zmq::socket_t socket_;
};

TEST(Watch, ReportsGapsAndLeavesOutRepetitions) {
    OddPublisher publisher;
    Subprocess process = watch({publisher.endpoint(), "--count", "4"}, true);
    publisher.wait_for_subscriber();
    for (const int number : {1, 1, 2, 6, 8}) {
        publisher.send_caption(static_cast<std::uint64_t>(number));
    }
    const std::string output = process.read_all();
    EXPECT_THAT(output, HasSubstr("cam1: caption events 3 to 5 were lost\n00:00:06.000"));
    EXPECT_THAT(output, HasSubstr("cam1: caption event 7 was lost\n00:00:08.000"));
    EXPECT_EQ(process.wait(), 0);
}

TEST(Watch, SurvivesGarbageAndSaysSoOnce) {
    OddPublisher publisher;
    Subprocess process = watch({publisher.endpoint(), "--count", "1"}, true);
    publisher.wait_for_subscriber();
    publisher.send({"seesay/1/"});
    publisher.send({"seesay/1/cam1/caption/", "{", ""});
    publisher.send({"seesay/1/cam1/caption/", std::string(1 << 20, '['), ""});
    publisher.send({"seesay/1/cam1/caption/", "{}", "", "more", "and more"});
    publisher.send_caption(1);
    const std::string output = process.read_all();
    EXPECT_THAT(output, HasSubstr("left out a message"));
    EXPECT_THAT(output, HasSubstr("a dog runs"));
    EXPECT_EQ(output.find("left out"), output.rfind("left out"));
    EXPECT_EQ(process.wait(), 0);
}

TEST(Watch, KeepsControlCharactersFromTheTerminal) {
    OddPublisher publisher;
    Subprocess process = watch({publisher.endpoint(), "--count", "1"});
    publisher.wait_for_subscriber();
    publisher.send_caption(1, "a\x1B[2J dog \u202E");
    EXPECT_EQ(process.read_line(), "00:00:01.000  cam1  a[2J dog ");
}

TEST(Watch, EndsWithSuccessOnInterrupt) {
    EndpointRegistry registry;
    Publisher publisher(registry, "tcp://127.0.0.1:*", "cam1");
    publisher.publish(*numbered_update(1));
    for (const int number : {SIGINT, SIGTERM}) {
        Subprocess process = watch({publisher.bound_endpoint()});
        ASSERT_TRUE(process.read_line());
        process.signal(number);
        EXPECT_EQ(process.wait(), 0);
    }
}

TEST(Watch, FailsWhenNothingIsHeard) {
    const TemporaryFolder folder;
    const std::string endpoint = "ipc://" + folder.path() + "/nobody.sock";
    Subprocess process = watch({endpoint, "--timeout", "0.05"}, true);
    EXPECT_THAT(process.read_all(), HasSubstr(endpoint));
    EXPECT_EQ(process.wait(), 1);
}

TEST(Watch, WrongUsageIsRefused) {
    const std::vector<std::vector<std::string>> wrong{{},
                                                      {"udp://127.0.0.1:5"},
                                                      {"tcp://127.0.0.1:70000"},
                                                      {"tcp://127.0.0.1:5555", "--stream", "a/b"},
                                                      {"tcp://127.0.0.1:5555", "--timeout", "0"},
                                                      {"tcp://127.0.0.1:5555", "--timeout", "1,5"},
                                                      {"tcp://127.0.0.1:5555", "--count", "-1"}};
    for (const auto& arguments : wrong) {
        Subprocess process = watch(arguments, true);
        EXPECT_NE(process.read_all(), "");
        EXPECT_EQ(process.wait(), 2);
    }
}

}  // namespace
}  // namespace seesay::tools
