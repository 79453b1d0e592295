// Endpoints: which are accepted, what may not be taken over, and how one ends.
#include "elements/events/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "elements/events/endpoint_registry.hpp"
#include "models/error.hpp"
#include "tests/elements/publish_fixtures.hpp"
#include "tests/elements/subprocess.hpp"

namespace seesay::elements {
namespace {

using seesay::testing::Subprocess;
using seesay::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The message of the seesay::Error that `function` throws; empty if it throws none.
template <typename Function>
std::string error_of(Function function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

std::string bind_error(const std::string& endpoint) {
    return error_of([&] { Endpoint bound(endpoint); });
}

Subprocess script(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {SEESAY_PYTHON, SEESAY_PUBLISH_SCRIPTS "/event_subscriber.py"});
    return Subprocess(arguments, true);
}

TEST(EndpointAddress, AcceptsWhatCanBeBound) {
    for (const std::string text :
         {"tcp://127.0.0.1:5555", "tcp://*:0", "tcp://*:*", "tcp://eth0:65535", "tcp://[::1]:80",
          "ipc:///run/seesay.sock", "ipc://relative", "ipc://@abstract"}) {
        EXPECT_EQ(parse_bind_endpoint(text).bindable, text);
    }
    EXPECT_EQ(parse_bind_endpoint("tcp://localhost:5555").bindable, "tcp://127.0.0.1:5555");
}

TEST(EndpointAddress, KnowsWhatOtherMachinesReach) {
    EXPECT_TRUE(parse_bind_endpoint("tcp://127.0.0.1:5555").loopback);
    EXPECT_TRUE(parse_bind_endpoint("tcp://localhost:5555").loopback);
    EXPECT_TRUE(parse_bind_endpoint("ipc:///tmp/x").loopback);
    EXPECT_FALSE(parse_bind_endpoint("tcp://*:5555").loopback);
    EXPECT_FALSE(parse_bind_endpoint("tcp://192.168.0.4:5555").loopback);
}

TEST(EndpointAddress, RefusesTheRestAndNamesIt) {
    for (const std::string text :
         {"", "x", "udp://127.0.0.1:5", "inproc://a", "tcp://", "tcp://127.0.0.1",
          "tcp://127.0.0.1:", "tcp://:5555", "tcp://127.0.0.1:70000", "tcp://127.0.0.1:-1",
          "tcp://127.0.0.1:55x", "tcp://127.0.0.1: 5555", "tcp://127.0.0.1:99999999999",
          "ipc://"}) {
        EXPECT_THAT(bind_error(text), HasSubstr('"' + text + '"'));
    }
    EXPECT_THAT(bind_error("ipc:///tmp/" + std::string(120, '0')), HasSubstr("107"));
}

TEST(EndpointAddress, SubscribersMayUseAnyHost) {
    EXPECT_NO_THROW(require_connect_endpoint("tcp://camera.example:5555"));
    EXPECT_NO_THROW(require_connect_endpoint("ipc:///run/x.sock"));
    for (const std::string text :
         {"", "tcp://*:5555", "tcp://host:0", "tcp://host:70000", "tcp://host", "host:5555"}) {
        EXPECT_THAT(error_of([&] { require_connect_endpoint(text); }), HasSubstr('"' + text + '"'));
    }
}

TEST(EndpointBinding, TellsTheFreePortThatItFound) {
    const Endpoint endpoint("tcp://127.0.0.1:*");
    EXPECT_THAT(endpoint.bound_endpoint(), ::testing::MatchesRegex("tcp://127.0.0.1:[0-9]+"));
}

TEST(EndpointBinding, RefusesAPortInUse) {
    const Endpoint endpoint("tcp://127.0.0.1:*");
    EXPECT_THAT(bind_error(endpoint.bound_endpoint()),
                AllOf(HasSubstr(endpoint.bound_endpoint()), HasSubstr("already in use")));
}

TEST(EndpointBinding, RefusesForeignAddressesAndNames) {
    for (const std::string text : {"tcp://192.0.2.1:5555", "tcp://nohost.invalid:5555"}) {
        EXPECT_THAT(bind_error(text),
                    AllOf(HasSubstr(text), HasSubstr("no such address or interface")));
    }
}

TEST(EndpointBinding, IsFreeAgainAtOnce) {
    std::string endpoint;
    {
        const Endpoint first("tcp://127.0.0.1:*");
        endpoint = first.bound_endpoint();
    }
    for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(bind_error(endpoint), "");
    }
}

TEST(EndpointBinding, LeavesAPlainFileAlone) {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/plain.sock";
    std::ofstream(path) << "precious";
    EXPECT_THAT(bind_error("ipc://" + path), HasSubstr(path));
    std::string content;
    std::ifstream(path) >> content;
    EXPECT_EQ(content, "precious");
}

TEST(EndpointBinding, LeavesFoldersAndLinksAlone) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink(folder.path() + "/nowhere", folder.path() + "/link");
    EXPECT_THAT(bind_error("ipc://" + folder.path()), HasSubstr(folder.path()));
    EXPECT_THAT(bind_error("ipc://" + folder.path() + "/link"), HasSubstr("link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path() + "/link"));
}

TEST(EndpointBinding, NamesAMissingFolder) {
    const TemporaryFolder folder;
    EXPECT_THAT(bind_error("ipc://" + folder.path() + "/missing/x.sock"),
                AllOf(HasSubstr("missing/x.sock"), HasSubstr("does not exist")));
}

TEST(EndpointBinding, ReplacesTheSocketOfADeadProgram) {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/stale.sock";
    Subprocess dead = script({"stale", path});
    ASSERT_EQ(dead.wait(), 0);
    ASSERT_TRUE(std::filesystem::is_socket(path));
    EXPECT_EQ(bind_error("ipc://" + path), "");
}

TEST(EndpointBinding, DoesNotTakeOverALivePath) {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/live.sock";
    Subprocess holder = script({"squat", "ipc://" + path});
    ASSERT_EQ(holder.read_line(), "bound");
    struct stat before {};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    EXPECT_THAT(bind_error("ipc://" + path), AllOf(HasSubstr(path), HasSubstr("another program")));
    struct stat after {};
    ASSERT_EQ(::stat(path.c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(EndpointBinding, OfManyThatStartAtOnceOneGetsThePath) {
    constexpr int kRounds = 20;
    constexpr int kPrograms = 8;
    const TemporaryFolder folder;
    for (int round = 0; round < kRounds; ++round) {
        const std::string endpoint = "ipc://" + folder.path() + "/" + std::to_string(round);
        std::barrier start(kPrograms);
        std::barrier end(kPrograms);
        std::atomic<int> bound{0};
        std::vector<std::jthread> programs;
        for (int i = 0; i < kPrograms; ++i) {
            programs.emplace_back([&] {
                start.arrive_and_wait();
                std::optional<Endpoint> mine;
                // The losers are told; a path taken over would let two of them in.
                bound += error_of([&] { mine.emplace(endpoint); }).empty() ? 1 : 0;
                end.arrive_and_wait();
            });
        }
        programs.clear();
        ASSERT_EQ(bound, 1) << "round " << round;
    }
}

TEST(EndpointRegistry, SharesAnEndpointAndClosesItWithItsLastHolder) {
    EndpointRegistry registry;
    const TemporaryFolder folder;
    const std::string endpoint = "ipc://" + folder.path() + "/shared.sock";
    auto first = registry.open(endpoint);
    auto second = registry.open(endpoint);
    EXPECT_EQ(first.get(), second.get());
    first.reset();
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/shared.sock"));
    second.reset();
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/shared.sock"));
}

TEST(EndpointRegistry, AFailedBindLeavesNothingBehind) {
    EndpointRegistry registry;
    const TemporaryFolder folder;
    const std::string endpoint = "ipc://" + folder.path() + "/later/x.sock";
    EXPECT_THROW(registry.open(endpoint), Error);
    std::filesystem::create_directory(folder.path() + "/later");
    EXPECT_NO_THROW(registry.open(endpoint));
}

}  // namespace
}  // namespace seesay::elements
