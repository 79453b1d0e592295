// The receiving side: what counts as loss, as a restart, as a repetition, and as no event at all.
#include "elements/events/event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "elements/events/event_json.hpp"
#include "elements/events/stream_name.hpp"
#include "models/error.hpp"
#include "tests/elements/publish_fixtures.hpp"

namespace seesay::elements {
namespace {

using seesay::testing::grid_caption;
using seesay::testing::header;
using seesay::testing::update_of;
using ::testing::HasSubstr;

struct Message {
    std::string topic;
    std::string json;
    std::string binary;
};

Message caption_message(std::uint64_t sequence, const std::string& stream = "cam1",
                        const std::string& run = "aaaa", bool cached = false) {
    EventHeader head = header();
    head.stream = stream;
    head.run_id = run;
    head.sequence = sequence;
    const std::string line = to_line(caption_event(head, update_of(grid_caption())));
    return {topic_for(stream, "caption"), cached ? as_cached(line) : line,
            attention_bytes(grid_caption())};
}

Message status_message(std::uint64_t sequence, const std::string& run = "aaaa") {
    EventHeader head = header();
    head.run_id = run;
    head.sequence = sequence;
    StatusReport report;
    report.sockets = {{"events", "tcp://127.0.0.1:5555"}};
    return {topic_for("cam1", "status"), to_line(status_event(head, report)), ""};
}

ReceivedEvent read(EventReader& reader, const Message& message) {
    const std::array<std::string_view, 3> frames{message.topic, message.json, message.binary};
    return reader.read(frames);
}

std::string refusal(const Message& message) {
    EventReader reader;
    try {
        read(reader, message);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(EventReader, ReadsWhatThePublisherWrites) {
    EventReader reader;
    const ReceivedEvent event = read(reader, caption_message(7));
    EXPECT_EQ(event.stream, "cam1");
    EXPECT_EQ(event.kind, "caption");
    EXPECT_EQ(event.sequence, 7U);
    EXPECT_EQ(event.json["text"], "a dog runs");
    EXPECT_EQ(to_line(event.json), caption_message(7).json);
    EXPECT_NO_THROW(read(reader, status_message(1)));
}

TEST(EventReader, WhatALateJoinerMissedIsNoLoss) {
    EventReader reader;
    const ReceivedEvent event = read(reader, caption_message(100));
    EXPECT_EQ(event.lost, 0U);
    EXPECT_FALSE(event.restarted);
    EXPECT_FALSE(event.repeated);
}

TEST(EventReader, CountsMissingNumbersPerStreamAndKind) {
    EventReader reader;
    read(reader, caption_message(1));
    read(reader, caption_message(1, "cam2"));
    read(reader, status_message(1));
    EXPECT_EQ(read(reader, caption_message(5)).lost, 3U);
    EXPECT_EQ(read(reader, caption_message(2, "cam2")).lost, 0U);
    EXPECT_EQ(read(reader, status_message(2)).lost, 0U);
    EXPECT_EQ(read(reader, caption_message(6)).lost, 0U);
}

TEST(EventReader, ANewRunIsARestartOnceAndNoLoss) {
    EventReader reader;
    read(reader, caption_message(9));
    read(reader, status_message(3));
    const ReceivedEvent first = read(reader, status_message(2, "bbbb"));
    EXPECT_TRUE(first.restarted);
    EXPECT_EQ(first.lost, 0U);
    const ReceivedEvent second = read(reader, caption_message(4, "cam1", "bbbb"));
    EXPECT_FALSE(second.restarted);
    EXPECT_EQ(second.lost, 0U);
    EXPECT_EQ(read(reader, caption_message(6, "cam1", "bbbb")).lost, 1U);
}

TEST(EventReader, ACachedEventIsNewOnlyIfItsNumberIs) {
    EventReader reader;
    EXPECT_FALSE(read(reader, caption_message(3, "cam1", "aaaa", true)).repeated);
    EXPECT_TRUE(read(reader, caption_message(3, "cam1", "aaaa", true)).repeated);
    EXPECT_FALSE(read(reader, caption_message(4)).repeated);
    EXPECT_TRUE(read(reader, caption_message(4, "cam1", "aaaa", true)).repeated);
    const ReceivedEvent after_gap = read(reader, caption_message(8, "cam1", "aaaa", true));
    EXPECT_FALSE(after_gap.repeated);
    EXPECT_EQ(after_gap.lost, 3U);
}

TEST(EventReader, ReadsKindsOfLaterVersionsByTheirCommonKeys) {
    EventReader reader;
    const Message message{
        "seesay/1/cam1/answer/",
        R"({"schema":1,"stream":"cam1","run_id":"aa","sequence":1,"kind":"answer","cached":false,"new":[1]})",
        "x"};
    EXPECT_EQ(read(reader, message).kind, "answer");
}

TEST(EventReader, RefusesAWrongNumberOfFrames) {
    EventReader reader;
    const Message good = caption_message(1);
    const std::array<std::string_view, 2> two{good.topic, good.json};
    EXPECT_THROW(reader.read(two), Error);
    EXPECT_THROW(reader.read({}), Error);
}

TEST(EventReader, SaysWhatIsWrong) {
    Message message = caption_message(1);
    message.topic = "news/";
    EXPECT_THAT(refusal(message), HasSubstr("topic"));
    message = caption_message(1);
    message.topic = topic_for("cam2", "caption");
    EXPECT_THAT(refusal(message), HasSubstr("its topic"));
    message = caption_message(1);
    message.binary.pop_back();
    EXPECT_THAT(refusal(message), HasSubstr("binary"));
    message = caption_message(1);
    message.json = "[1]";
    EXPECT_THAT(refusal(message), HasSubstr("object"));
    message.json = "{\"text\":\"\xFF\"}";
    EXPECT_THAT(refusal(message), HasSubstr("JSON"));
    message.json = std::string(1'000'000, '[');
    EXPECT_THAT(refusal(message), HasSubstr("nested"));
}

TEST(EventReader, RefusesKeysOfTheWrongTypeAndMissingOnes) {
    const auto good = nlohmann::ordered_json::parse(caption_message(1).json);
    const std::vector<std::string> keys{"schema", "stream", "run_id", "sequence", "kind",
                                        "cached", "pts_ns", "text",   "segment",  "attention"};
    for (const std::string& key : keys) {
        Message message = caption_message(1);
        auto changed = good;
        changed[key] = 1.5;
        message.json = changed.dump();
        EXPECT_THAT(refusal(message), HasSubstr(key)) << key;
        changed.erase(key);
        message.json = changed.dump();
        EXPECT_THAT(refusal(message), HasSubstr(key)) << key;
    }
    Message message = caption_message(1);
    auto changed = good;
    changed["schema"] = 2;
    message.json = changed.dump();
    EXPECT_THAT(refusal(message), HasSubstr("version 2"));
    changed = good;
    changed["sequence"] = -1;
    message.json = changed.dump();
    EXPECT_THAT(refusal(message), HasSubstr("below 1"));
    changed["sequence"] = UINT64_MAX;
    message.json = changed.dump();
    EXPECT_THAT(refusal(message), HasSubstr("sequence"));
    changed = good;
    changed["attention"]["shape"] = {1ULL << 40, 1ULL << 40};
    message.json = changed.dump();
    EXPECT_THAT(refusal(message), HasSubstr("shape"));
}

TEST(EventReader, SurvivesDamagedMessages) {
    std::mt19937 random(1);
    const Message good = caption_message(1);
    EventReader reader;
    for (int round = 0; round < 20000; ++round) {
        Message damaged = good;
        for (std::string* frame : {&damaged.topic, &damaged.json, &damaged.binary}) {
            if (random() % 2 == 0 && !frame->empty()) {
                (*frame)[random() % frame->size()] = static_cast<char>(random());
            }
            if (random() % 16 == 0) {
                frame->resize(random() % (frame->size() + 2));
            }
        }
        try {
            read(reader, damaged);
        } catch (const Error& error) {
            ASSERT_THAT(error.what(), HasSubstr("not an event"));
        }
    }
}

}  // namespace
}  // namespace seesay::elements
