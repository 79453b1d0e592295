// Events of all shapes hold to the schemas in the repository, as python3-jsonschema reads them.
#include <gtest/gtest.h>

#include "elements/events/event_json.hpp"
#include "tests/elements/publish_fixtures.hpp"
#include "tests/elements/subprocess.hpp"

namespace seesay::testing {
namespace {

using namespace seesay::elements;

struct Verdict {
    int status;
    std::string output;
};

Verdict validate(const std::vector<std::string>& lines) {
    Subprocess python(
        {SEESAY_PYTHON, SEESAY_PUBLISH_SCRIPTS "/validate_events.py", SEESAY_EVENT_SCHEMAS}, true);
    for (const std::string& line : lines) {
        python.write(line + "\n");
    }
    python.close_input();
    const std::string output = python.read_all();
    return {python.wait().value_or(-1), output};
}

language::Caption with_picture_box() {
    language::Caption caption = grid_caption();
    caption.geometry.picture_box = {0.125F, 0.F, 0.875F, 1.F};
    return caption;
}

language::Caption empty_caption() {
    language::Caption caption = plain_caption();
    caption.tokens.clear();
    caption.text.clear();
    return caption;
}

TEST(EventSchema, EveryShapeOfCaptionIsValid) {
    std::vector<std::string> lines;
    for (const auto& caption :
         {grid_caption(), boxes_caption(), plain_caption(), with_picture_box(), empty_caption()}) {
        auto event = caption_event(header(), update_of(caption));
        lines.push_back(to_line(event));
        lines.push_back(as_cached(lines.back()));
        add_attention_weights(event, caption);
        lines.push_back(to_line(event));
    }
    CaptionUpdate last = update_of(grid_caption());
    last.segment.final = true;
    lines.push_back(to_line(caption_event(header(), last)));
    const Verdict verdict = validate(lines);
    EXPECT_EQ(verdict.output, "{\"caption\": 16}\n");
    EXPECT_EQ(verdict.status, 0);
}

TEST(EventSchema, UnknownTimesAndNumbersStayValid) {
    language::Caption caption = grid_caption();
    caption.frame.pts_ns = caption.frame.running_time_ns = caption.frame.wall_clock_us = -1;
    caption.tokens[0].log_probability = -std::numeric_limits<float>::infinity();
    caption.tokens[1].log_probability = std::numeric_limits<float>::quiet_NaN();
    caption.confidence = std::numeric_limits<float>::quiet_NaN();
    caption.attention[0] = std::numeric_limits<float>::quiet_NaN();
    auto event = caption_event(header(), update_of(caption));
    add_attention_weights(event, caption);
    const Verdict verdict = validate({to_line(event)});
    EXPECT_EQ(verdict.status, 0) << verdict.output;
}

TEST(EventSchema, StatusIsValid) {
    StatusReport report;
    report.sockets = {{"events", "tcp://127.0.0.1:5555"}};
    const std::string first = to_line(status_event(header(), report));
    report.final = true;
    report.frames = 250;
    const Verdict verdict =
        validate({first, as_cached(first), to_line(status_event(header(), report))});
    EXPECT_EQ(verdict.output, "{\"status\": 3}\n");
    EXPECT_EQ(verdict.status, 0);
}

TEST(EventSchema, TheCheckNoticesAWrongEvent) {
    auto event = caption_event(header(), update_of(grid_caption()));
    event["pts_ns"] = 1.5;
    EXPECT_EQ(validate({to_line(event)}).status, 1);
    event = caption_event(header(), update_of(grid_caption()));
    event["surprise"] = true;
    EXPECT_EQ(validate({to_line(event)}).status, 1);
}

}  // namespace
}  // namespace seesay::testing
