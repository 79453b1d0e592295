// Vocabulary: reading, every refusal, and counting.
#include "models/language/vocabulary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"

namespace seesay::language {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// The message of the Error that reading `json` throws; empty if it is accepted.
std::string refusal(std::string_view json) {
    try {
        Vocabulary::parse(json, "p/vocabulary.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string with_tokens(const std::string& tokens) {
    return R"({"format_version":1,"language":"en","tokens":)" + tokens + "}";
}

TEST(Vocabulary, FindsSpecialTokensByName) {
    const auto vocabulary =
        Vocabulary::parse(with_tokens(R"(["dog","<unk>","<end>","a","<start>","<pad>"])"), "v");
    EXPECT_EQ(vocabulary.size(), 6);
    EXPECT_EQ(vocabulary.unknown(), 1);
    EXPECT_EQ(vocabulary.end(), 2);
    EXPECT_EQ(vocabulary.start(), 4);
    EXPECT_EQ(vocabulary.pad(), 5);
    EXPECT_TRUE(vocabulary.is_special(5));
    EXPECT_FALSE(vocabulary.is_special(0));
    EXPECT_EQ(vocabulary.word(3), "a");
    EXPECT_THAT(vocabulary.ids({"a", "zebra", "dog"}), ElementsAre(3, 1, 0));
}

TEST(Vocabulary, SurvivesWritingAndReading) {
    const auto written = Vocabulary::from_tokens(
        "zh", {"<pad>", "<start>", "<end>", "<unk>", "\u72D7", "\"quoted\"", "o'clock"});
    const auto read = Vocabulary::parse(written.to_json(), "v");
    EXPECT_EQ(read.tokens(), written.tokens());
    EXPECT_EQ(read.language(), "zh");
}

TEST(Vocabulary, NamesTheFileAndTheFault) {
    EXPECT_THAT(refusal("{"), AllOf(HasSubstr("p/vocabulary.json"), HasSubstr("JSON")));
    EXPECT_THAT(refusal("[]"), HasSubstr("JSON object"));
    EXPECT_THAT(refusal(R"({"format_version":2,"language":"en","tokens":["a"]})"),
                HasSubstr("format_version"));
    EXPECT_THAT(refusal(R"({"format_version":1,"tokens":["a"]})"), HasSubstr("language"));
    EXPECT_THAT(refusal(R"({"format_version":1,"language":"e\u0000","tokens":["a"]})"),
                HasSubstr("BCP 47"));
    EXPECT_THAT(refusal(R"({"format_version":1,"language":"en","tokens":{}})"),
                HasSubstr("tokens"));
    EXPECT_THAT(refusal(with_tokens("[]")), HasSubstr("empty"));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>",7])")), HasSubstr("token 1 is not a string"));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>",""])")), HasSubstr("token 1 is empty"));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>","a\nb"])")), HasSubstr("control character"));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>","a\u202eb"])")), HasSubstr("control character"));
    EXPECT_THAT(refusal(with_tokens("[\"<pad>\",\"caf\xE9\"]")), HasSubstr("UTF-8"));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>","a","b","a"])")),
                AllOf(HasSubstr("\"a\""), HasSubstr("1 and 3")));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>","<start>","<unk>","a"])")),
                HasSubstr("<end> is missing"));
    EXPECT_THAT(refusal(with_tokens(R"(["<pad>","<start>","<unk>","<end>"])")),
                HasSubstr("no word"));
}

TEST(Vocabulary, SaysBothSizesWhenTheNetworkHasAnother) {
    const auto vocabulary =
        Vocabulary::from_tokens("en", {"<pad>", "<start>", "<end>", "<unk>", "dog"});
    vocabulary.require_size(5);
    try {
        vocabulary.require_size(4000);
        FAIL() << "another size was accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("4000"), HasSubstr("5")));
    }
    EXPECT_THROW((void)vocabulary.word(5), Error);
    EXPECT_THROW((void)vocabulary.word(-1), Error);
}

TEST(VocabularyBuilder, OrdersByCountThenByteOrder) {
    VocabularyBuilder builder;
    builder.add({"dog", "runs", "a", "cat"});
    builder.add({"a", "dog", "cat", "once"});
    builder.add({"a"});
    const auto vocabulary = builder.build("en", 2);
    EXPECT_THAT(vocabulary.tokens(),
                ElementsAre("<pad>", "<start>", "<end>", "<unk>", "a", "cat", "dog"));
    EXPECT_EQ(builder.words_seen(), 9);
    EXPECT_EQ(builder.distinct_words(), 5U);
    EXPECT_EQ(builder.unknown_to(vocabulary), 2);
}

TEST(VocabularyBuilder, RefusesWhenNoWordIsFrequentEnough) {
    VocabularyBuilder builder;
    builder.add({"dog"});
    EXPECT_THROW((void)builder.build("en", 2), Error);
}

}  // namespace
}  // namespace seesay::language
