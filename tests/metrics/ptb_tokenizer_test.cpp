// The tokeniser rule by rule, and on bytes that are no text.
#include "models/metrics/ptb_tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "models/metrics/utf8.hpp"

namespace seesay::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Tokenizer : public ::testing::Test {
 protected:
    Sentence tokens(std::string_view caption) { return tokenizer_.tokens(caption); }
    Sentence words(std::string_view caption) { return tokenizer_.words(caption); }

    PtbTokenizer tokenizer_;
};

TEST_F(Tokenizer, SplitsContractionsAndPossessives) {
    EXPECT_THAT(tokens("He can't see the dog's ball"),
                ElementsAre("he", "ca", "n't", "see", "the", "dog", "'s", "ball"));
    EXPECT_THAT(tokens("cannot gonna 'twas"), ElementsAre("can", "not", "gon", "na", "'t", "was"));
}

TEST_F(Tokenizer, KeepsApostrophesThatBelongToTheWord) {
    EXPECT_THAT(tokens("O'Brien's c'mon at ten o'clock"),
                ElementsAre("o'brien", "'s", "c'mon", "at", "ten", "o'clock"));
}

TEST_F(Tokenizer, DropsPunctuationButKeepsWhatCocoCaptionKeeps) {
    EXPECT_THAT(
        words("\"Stop!\", he said: go - now ... (please); ok?!"),
        ElementsAre("stop", "he", "said", "go", "now", "-lrb-", "please", "-rrb-", "ok", "?!"));
}

TEST_F(Tokenizer, KeepsCompoundsNumbersAndAddressesWhole) {
    EXPECT_THAT(words("A black-and-white t-shirt, 1,000 at 3:30 and/or 12/25/2010"),
                ElementsAre("a", "black-and-white", "t-shirt", "1,000", "at", "3:30", "and/or",
                            "12/25/2010"));
    EXPECT_THAT(words("see www.example.com/a?b or me@example.com."),
                ElementsAre("see", "www.example.com/a?b", "or", "me@example.com"));
}

TEST_F(Tokenizer, AbbreviationsKeepTheirPeriod) {
    EXPECT_THAT(words("Mr. Smith of Acme Inc. lives on Main St. in the U.S."),
                ElementsAre("mr.", "smith", "of", "acme", "inc.", "lives", "on", "main", "st.",
                            "in", "the", "u.s."));
}

TEST_F(Tokenizer, FractionsAndTelephoneNumbersAreOneTokenWithANoBreakSpace) {
    EXPECT_THAT(words("1 1/2 cups ½ (555) 123-4567"),
                ElementsAre("1\u00A01/2", "cups", "1/2", "-lrb-555-rrb-\u00A0123-4567"));
}

TEST_F(Tokenizer, NextLineDecidesWhetherALettersPeriodEndsTheSentence) {
    const auto lines = tokenizer_.words_of_lines({"vitamin C.", "The dog", "vitamin C.", "dogs"});
    EXPECT_THAT(lines[0], ElementsAre("vitamin", "c"));
    EXPECT_THAT(lines[2], ElementsAre("vitamin", "c."));
}

TEST_F(Tokenizer, LineEndsInsideACaptionAreBlanks) {
    EXPECT_THAT(tokens("a\ndog\r\nruns\u2028home\n"), ElementsAre("a", "dog", "runs", "home"));
}

TEST_F(Tokenizer, LowersLikeJava) {
    EXPECT_THAT(tokens("ÉCOLE ΣΟΦΟΣ İZMİR"), ElementsAre("école", "σοφος", "i̇zmi̇r"));
}

TEST_F(Tokenizer, UnknownCharactersYieldNothing) {
    EXPECT_THAT(tokens("a 😀dog\x01 b"), ElementsAre("a", "dog", "b"));
    EXPECT_THAT(tokens(""), IsEmpty());
    EXPECT_THAT(tokens(" \t\u00A0"), IsEmpty());
}

TEST_F(Tokenizer, MalformedUtf8YieldsTheValidPart) {
    EXPECT_THAT(tokens("a \xFF dog \xC3"), ElementsAre("a", "dog"));
    EXPECT_THAT(tokens("\xED\xA0\x80 x \xF8\x88\x80\x80\x80 \xC0\xAF y"), ElementsAre("x", "y"));
}

TEST_F(Tokenizer, RandomBytesAreNoCrashAndGiveValidUtf8) {
    std::mt19937 random(7);
    const std::string_view tricky =
        "'\"`.,-/&;<>@#:()[]{}$!?=_*\\ aAnNtTsS019\xC2\xA0\xAD\xE2\x80\x99";
    for (int round = 0; round < 4000; ++round) {
        std::string caption;
        const auto length = random() % 60;
        for (unsigned i = 0; i < length; ++i)
            caption += random() % 3 == 0 ? static_cast<char>(random() % 256)
                                         : tricky[random() % tricky.size()];
        for (const std::string& token : tokens(caption)) {
            EXPECT_FALSE(token.empty());
            EXPECT_TRUE(is_valid_utf8(token)) << token;
        }
    }
}

TEST_F(Tokenizer, LongRunsThatPromiseATokenForEverEnd) {
    // Each of these starts a tag, an address or a word over and over and never completes it.
    for (const std::string piece : {"<!a", "a@", "http://", "a.", "n't"}) {
        std::string caption;
        while (caption.size() < 2 * TokenAutomaton::kLongest)
            caption += piece;
        EXPECT_FALSE(tokens(caption).empty());
    }
}

}  // namespace
}  // namespace seesay::metrics
