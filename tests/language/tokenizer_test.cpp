// Tokenizer: the rules of its header, one by one.
#include "models/language/tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"

namespace seesay::language {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> english(std::string_view text) {
    return Tokenizer("en").words(text);
}

TEST(Tokenizer, LowersAndDropsPunctuation) {
    EXPECT_THAT(english("A black dog , running (fast) !"),
                ElementsAre("a", "black", "dog", "running", "fast"));
    EXPECT_THAT(english(" . , \" ; & "), IsEmpty());
    EXPECT_THAT(english(""), IsEmpty());
}

TEST(Tokenizer, SplitsCliticsWhetherSpacedOrNot) {
    EXPECT_THAT(english("The man's hat"), ElementsAre("the", "man", "'s", "hat"));
    EXPECT_THAT(english("The man 's hat"), ElementsAre("the", "man", "'s", "hat"));
    EXPECT_THAT(english("The man\u2019s hat"), ElementsAre("the", "man", "'s", "hat"));
    EXPECT_THAT(english("They don't and it is n't"),
                ElementsAre("they", "do", "n't", "and", "it", "is", "n't"));
    EXPECT_THAT(english("they're we've I'll"), ElementsAre("they", "'re", "we", "'ve", "i", "'ll"));
}

TEST(Tokenizer, KeepsOtherInnerApostrophesAndDropsOuterOnes) {
    EXPECT_THAT(english("5 o'clock"), ElementsAre("5", "o'clock"));
    EXPECT_THAT(english("the dogs' 'slide' rock 'n roll"),
                ElementsAre("the", "dogs", "slide", "rock", "n", "roll"));
    EXPECT_THAT(english("'s"), ElementsAre("s"));  // no word before it to belong to
}

TEST(Tokenizer, KeepsHyphensInsideWordsOnly) {
    EXPECT_THAT(english("a t-shirt - red- and -blue snow\u2010covered"),
                ElementsAre("a", "t-shirt", "red", "and", "blue", "snow-covered"));
    EXPECT_THAT(english("one\u2014two 3-year-old"), ElementsAre("one", "two", "3-year-old"));
}

TEST(Tokenizer, KeepsNumbersWhole) {
    EXPECT_THAT(english("1,000 runners at 10:30, 2.5 miles. #42"),
                ElementsAre("1,000", "runners", "at", "10:30", "2.5", "miles", "42"));
}

TEST(Tokenizer, ComposesBeforeItComparesWords) {
    EXPECT_EQ(english("cafe\u0301"), english("CAF\u00C9"));
    EXPECT_THAT(english("so\u00ADcial"), ElementsAre("social"));
    EXPECT_THAT(english("dog \U0001F415 runs"), ElementsAre("dog", "runs"));
}

TEST(Tokenizer, CutsChineseIntoCharactersButNotNumbers) {
    const Tokenizer chinese("zh-CN");
    const auto words = chinese.words("穿T恤的28号球员，骑 BMX bike。");
    EXPECT_THAT(words,
                ElementsAre("穿", "t", "恤", "的", "28", "号", "球", "员", "骑", "bmx", "bike"));
    EXPECT_EQ(chinese.sentence(words), "穿t恤的28号球员骑bmx bike");
}

TEST(Tokenizer, JoinsWordsIntoASentence) {
    EXPECT_EQ(Tokenizer("en").sentence({"a", "dog", "'s", "tail", "is", "n't", "t-shirt"}),
              "a dog's tail isn't t-shirt");
    EXPECT_EQ(Tokenizer("en").sentence({}), "");
}

TEST(Tokenizer, GivesTheSameWordsBackFromASentence) {
    for (const char* language : {"en", "zh", "de"}) {
        const Tokenizer tokenizer(language);
        for (const char* text :
             {"The man's 2.5 o'clock t-shirt doesn't fit .", "一个穿泳装的女人 12 abc",
              "Gr\u00FC\u00DFe, l'\u00E9t\u00E9 d'abord"}) {
            const auto words = tokenizer.words(text);
            EXPECT_EQ(tokenizer.words(tokenizer.sentence(words)), words)
                << language << ": " << text;
        }
    }
}

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
    EXPECT_THROW(english("caf\xE9 au lait"), Error);
    EXPECT_THROW(english("\xED\xA0\x80"), Error);  // a surrogate
}

}  // namespace
}  // namespace seesay::language
