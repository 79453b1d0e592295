// Text, names, times and half floats: the small parts that events are made of.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "elements/events/clean_text.hpp"
#include "elements/events/event_numbering.hpp"
#include "elements/events/event_time.hpp"
#include "elements/events/float16.hpp"
#include "elements/events/stream_name.hpp"
#include "tests/elements/publish_fixtures.hpp"

namespace seesay::elements {
namespace {

using std::string_literals::operator""s;

TEST(CleanText, KeepsEveryScript) {
    for (const std::string text : {"ein grüner Vogel", "一只白色的狗", "كلب أبيض", "कुत्ता",
                                   "👩‍👩‍👧 🇩🇪", "e\u0301"}) {
        EXPECT_EQ(clean_text(text), text);
    }
}

TEST(CleanText, RemovesControlAndBidiOverrideCharacters) {
    EXPECT_EQ(clean_text("a\u202Egnp\u202C\u2066b\u2069\uFEFF"), "agnpb");
    EXPECT_EQ(clean_text("a\0b\x07\x1B[31mc\x7F\u0080"s), "ab[31mc");
    EXPECT_EQ(clean_text("\uFFFE\uFDD0x"), "x");
}

TEST(CleanText, LineBreaksAndTabsBecomeSpaces) {
    EXPECT_EQ(clean_text("a\tb\nc\rd\u2028e\u0085f"), "a b c d e f");
}

TEST(CleanText, ReplacesEachMalformedPart) {
    // The examples of the Unicode Standard, tables 3-8, 3-9 and 3-11.
    const std::string r = "\uFFFD";
    EXPECT_EQ(clean_text("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
              r + r + r + r + r + r + r + r + "A");
    EXPECT_EQ(clean_text("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
              r + r + r + r + r + r + r + r + "A");
    EXPECT_EQ(clean_text("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
    EXPECT_EQ(clean_text("\xF4\x90\x80\x80"), r + r + r + r);
    EXPECT_EQ(clean_text("a\xE4"), "a" + r);
}

TEST(CleanText, AnyBytesGiveTextThatStaysTheSame) {
    std::string bytes;
    for (int first = 0; first < 256; ++first) {
        for (const int second : {0x00, 0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xE2, 0xF0, 0xFF}) {
            bytes += {static_cast<char>(first), static_cast<char>(second), '\x80'};
        }
    }
    const std::string clean = clean_text(bytes);
    EXPECT_EQ(clean_text(clean), clean);
}

TEST(StreamName, AllowsOneTo64PlainCharacters) {
    EXPECT_TRUE(is_stream_name("Cam-1_a.b"));
    EXPECT_TRUE(is_stream_name(std::string(64, 'x')));
    for (const std::string& name :
         {""s, std::string(65, 'x'), "a/b"s, "a b"s, "ä"s, "a\n"s, "a\0"s}) {
        EXPECT_FALSE(is_stream_name(name)) << name;
    }
}

TEST(StreamName, IsMadeFromAnyText) {
    EXPECT_EQ(stream_name_from("my film (1).mp4"), "my_film__1_.mp4");
    EXPECT_EQ(stream_name_from("größe.mkv"), "gr__e.mkv");
    EXPECT_EQ(stream_name_from(""), "_");
    EXPECT_EQ(stream_name_from(std::string(100, 'a')).size(), 64U);
}

TEST(Topic, IsReadBackAsWritten) {
    const std::string topic = topic_for("cam1", "caption");
    EXPECT_EQ(topic, "seesay/1/cam1/caption/");
    const auto parsed = parse_topic(topic);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->stream, "cam1");
    EXPECT_EQ(parsed->kind, "caption");
    EXPECT_FALSE(topic_for("cam10", "caption").starts_with(topic_prefix("cam1")));
}

TEST(Topic, RefusesForeignOnes) {
    for (const std::string& topic :
         {""s, "seesay/1/"s, "seesay/1/cam1/"s, "seesay/1/cam1/caption"s, "seesay/2/cam1/caption/"s,
          "seesay/1//caption/"s, "seesay/1/cam1//"s, "seesay/1/cam1/caption/x/"s,
          "seesay/1/c 1/caption/"s, "seesay/1/cam1/Caption/"s, "seesay/1/cam1/cap\0tion/"s}) {
        EXPECT_FALSE(parse_topic(topic)) << topic;
    }
}

TEST(RunId, Is128RandomBits) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const std::string id = new_run_id();
        EXPECT_EQ(id.size(), 32U);
        EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
        EXPECT_TRUE(seen.insert(id).second);
    }
}

TEST(WallClock, IsRfc3339WithMicroseconds) {
    EXPECT_EQ(rfc3339_utc(0), "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(rfc3339_utc(1'709'251'199'000'001), "2024-02-29T23:59:59.000001Z");
    EXPECT_EQ(rfc3339_utc(-1), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(rfc3339_utc(std::numeric_limits<std::int64_t>::max()), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(rfc3339_utc(std::numeric_limits<std::int64_t>::min()), "0000-01-01T00:00:00.000000Z");
}

/// What 16 bits mean, by the definition of the format.
double value_of(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int mantissa = bits & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Float16, KeepsEveryValueOfTheFormat) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        if (((bits >> 10) & 31) != 31) {
            EXPECT_EQ(to_float16(static_cast<float>(value_of(static_cast<std::uint16_t>(bits)))),
                      bits);
        }
    }
}

TEST(Float16, RoundsToTheNearestAndTiesToEven) {
    for (std::uint16_t bits = 0; bits < 0x7BFF; ++bits) {
        const double low = value_of(bits);
        const double high = value_of(static_cast<std::uint16_t>(bits + 1));
        const auto middle = static_cast<float>((low + high) / 2);  // exact: 12 bits of mantissa
        const std::uint16_t even = (bits & 1) == 0 ? bits : static_cast<std::uint16_t>(bits + 1);
        ASSERT_EQ(to_float16(middle), even) << bits;
        ASSERT_EQ(to_float16(std::nextafter(middle, 0.F)), bits) << bits;
        ASSERT_EQ(to_float16(std::nextafter(middle, 1e9F)), bits + 1) << bits;
    }
}

TEST(Float16, IsAlwaysFinite) {
    EXPECT_EQ(to_float16(std::numeric_limits<float>::quiet_NaN()), 0);
    EXPECT_EQ(to_float16(std::numeric_limits<float>::infinity()), 0x7BFF);
    EXPECT_EQ(to_float16(-1e30F), 0xFBFF);
    EXPECT_EQ(to_float16(65520.F), 0x7BFF);
    EXPECT_EQ(to_float16(-1e-30F), 0x8000);
}

TEST(Float16, IsLittleEndian) {
    const std::array<float, 2> values{1.F, -2.F};
    EXPECT_EQ(float16_bytes(values), "\x00\x3C\x00\xC0"s);
}

}  // namespace
}  // namespace seesay::elements
