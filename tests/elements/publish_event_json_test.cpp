// The caption event says what the update says, in the spelling that the format fixes.
#include "elements/events/event_json.hpp"

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/elements/publish_fixtures.hpp"

namespace seesay::elements {
namespace {

using seesay::testing::boxes_caption;
using seesay::testing::CommaLocale;
using seesay::testing::grid_caption;
using seesay::testing::header;
using seesay::testing::plain_caption;
using seesay::testing::update_of;

// Written out by hand from the format's description.
constexpr const char* kGridEvent =
    R"({"schema":1,"stream":"cam1","run_id":"0123456789abcdef0123456789abcdef","sequence":1,"kind":"caption",)"
    R"("pts_ns":3200000000,"running_time_ns":3200000000,"wall_clock":"2024-02-29T23:59:59.000001Z",)"
    R"("published_at":"2024-03-01T00:00:00.500000Z",)"
    R"("segment":{"id":1,"start_ns":3200000000,"end_ns":4200000000,"revision":1,"final":false},)"
    R"("text":"a dog runs","language":"en","tokens":[{"text":"a","log_probability":-0.1},)"
    R"({"text":"dog","log_probability":-0.25},{"text":"runs","log_probability":-1.5}],"confidence":0.62,)"
    R"("model":{"name":"default","sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},)"
    R"("attention":{"shape":[3,6],"geometry":{"kind":"grid","rows":2,"columns":3},)"
    R"("picture":{"width":1280,"height":720}},"latency_ms":{"inference":12.346,"total":20.0},)"
    R"("dropped":{"late":2,"queue":3},"cached":false})";

TEST(CaptionEvent, IsWrittenAsTheFormatSays) {
    EXPECT_EQ(to_line(caption_event(header(), update_of(grid_caption()))), kGridEvent);
}

TEST(CaptionEvent, ACommaLocaleChangesNothing) {
    const CommaLocale comma;
    EXPECT_EQ(to_line(caption_event(header(), update_of(grid_caption()))), kGridEvent);
}

TEST(CaptionEvent, BoxesAreNormalisedCorners) {
    const auto event = caption_event(header(), update_of(boxes_caption()));
    EXPECT_EQ(
        event["attention"]["geometry"].dump(),
        R"({"kind":"boxes","boxes":[[0.0,0.0,0.5,0.5],[0.1,0.2,0.3,0.4],[0.5,0.5,1.0,1.0]]})");
    EXPECT_EQ(event["attention"]["shape"].dump(), "[2,3]");
}

TEST(CaptionEvent, AttentionIsNullWhereTheModelHasNone) {
    auto event = caption_event(header(), update_of(plain_caption()));
    EXPECT_TRUE(event["attention"].is_null());
    add_attention_weights(event, plain_caption());
    EXPECT_TRUE(event["attention"].is_null());
    EXPECT_EQ(attention_bytes(plain_caption()), "");
}

TEST(CaptionEvent, WeightsHaveOneRowAWordAndFourDecimals) {
    language::Caption caption = grid_caption();
    caption.attention[0] = 1.F / 3.F;
    auto event = caption_event(header(), update_of(caption));
    add_attention_weights(event, caption);
    EXPECT_EQ(
        event["attention"]["weights"].dump(),
        "[[0.3333,0.1,0.1,0.1,0.1,0.1],[0.05,0.05,0.05,0.05,0.05,0.75],[0.0,0.0,1.0,0.0,0.0,0.0]]");
}

TEST(CaptionEvent, BinaryFrameHasTwoBytesANumber) {
    const std::string bytes = attention_bytes(grid_caption());
    ASSERT_EQ(bytes.size(), 3U * 6U * 2U);
    EXPECT_EQ(bytes.substr(0, 2), std::string("\x00\x38", 2));  // 0.5
    EXPECT_EQ(bytes.substr((2 * 6 + 2) * 2, 2),
              std::string("\x00\x3C", 2));  // 1 at row 2, column 2
}

TEST(CaptionEvent, ABadTextIsCleaned) {
    language::Caption caption = grid_caption();
    caption.text = "a \xFF dog\x1B \u202E runs";
    caption.tokens[0].text = "a\x01";
    const auto event = caption_event(header(), update_of(caption));
    EXPECT_EQ(event["text"], "a \uFFFD dog  runs");
    EXPECT_EQ(event["tokens"][0]["text"], "a");
}

TEST(CaptionEvent, UnknownArrivalIsTheTimeOfPublishing) {
    language::Caption caption = grid_caption();
    caption.frame.wall_clock_us = -1;
    EXPECT_EQ(caption_event(header(), update_of(caption))["wall_clock"],
              "2024-03-01T00:00:00.500000Z");
}

TEST(CaptionEvent, AttentionThatDoesNotFitIsAnError) {
    language::Caption caption = grid_caption();
    caption.attention.pop_back();
    EXPECT_THROW(caption_event(header(), update_of(caption)), seesay::Error);
    caption = grid_caption();
    caption.geometry.columns = 2;
    EXPECT_THROW(caption_event(header(), update_of(caption)), seesay::Error);
}

TEST(CachedEvent, DiffersInOneKey) {
    const std::string line = to_line(caption_event(header(), update_of(grid_caption())));
    auto expected = nlohmann::ordered_json::parse(line);
    expected["cached"] = true;
    EXPECT_EQ(as_cached(line), to_line(expected));
    EXPECT_THROW(as_cached("{}"), seesay::Error);
}

}  // namespace
}  // namespace seesay::elements
