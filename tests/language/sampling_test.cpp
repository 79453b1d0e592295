// Sentences drawn from a captioner's distribution.
#include "models/language/sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "models/error.hpp"
#include "models/language/decoding.hpp"
#include "tests/language/table_captioner.hpp"

namespace seesay::language {
namespace {

using T = TableCaptioner;

/// First word a, b or c with probabilities 4 : 2 : 1 (everything else below 1e-8), then the end.
const T::Table kThree{{T::kStart, {{T::kA, std::log(4.F)}, {T::kB, std::log(2.F)}, {T::kC, 0.F}}},
                      {T::kA, {{T::kEnd, 9.F}}},
                      {T::kB, {{T::kEnd, 9.F}}},
                      {T::kC, {{T::kEnd, 9.F}}}};

DecodingOptions all_words() {
    DecodingOptions options;
    options.suppress_unknown = false;
    options.forbid_repeats = false;
    options.block_ngrams = 0;
    options.minimum_length = 0;
    return options;
}

std::vector<Sentence> draw(const T::Table& table, int count, Sampling sampling,
                           const DecodingOptions& options = all_words()) {
    const TableCaptioner captioner(table);
    vision::FeatureSet features;
    features.count = 1;
    features.dimension = 1;
    features.vectors = {0.F};
    const vision::FeatureSet* const one[] = {&features};
    std::vector<SentenceTask> tasks;
    for (int i = 0; i < count; ++i) {
        SentenceTask& task = tasks.emplace_back();
        task.options = options;
        task.sampling = sampling;
        ++sampling.seed;
    }
    return decode(captioner, *captioner.prepare(one), tasks);
}

std::map<int, int> first_words(const std::vector<Sentence>& sentences) {
    std::map<int, int> counts;
    for (const Sentence& sentence : sentences) {
        ++counts[sentence.tokens.empty() ? static_cast<int>(T::kEnd) : sentence.tokens.front()];
    }
    return counts;
}

TEST(Sampling, DrawsWordsAsOftenAsTheNetworkSays) {
    constexpr int kDraws = 7000;
    auto counts = first_words(draw(kThree, kDraws, {}));
    // Four standard deviations of a binomial count are below 170.
    EXPECT_NEAR(counts[T::kA], kDraws * 4 / 7, 170);
    EXPECT_NEAR(counts[T::kB], kDraws * 2 / 7, 170);
    EXPECT_NEAR(counts[T::kC], kDraws / 7, 170);
}

TEST(Sampling, TemperatureSharpensAndFlattens) {
    constexpr int kDraws = 5000;
    auto cold = first_words(draw(kThree, kDraws, {.temperature = 0.5}));  // 16 : 4 : 1
    EXPECT_NEAR(cold[T::kA], kDraws * 16 / 21, 130);
    auto hot = first_words(draw(kThree, kDraws, {.temperature = 2.0}));  // 2 : √2 : 1
    EXPECT_NEAR(hot[T::kC], kDraws / (3 + std::sqrt(2.0)), 130);
}

TEST(Sampling, TopKKeepsTheMostProbableWords) {
    EXPECT_EQ(first_words(draw(kThree, 200, {.top_k = 1})), (std::map<int, int>{{T::kA, 200}}));
    const auto two = first_words(draw(kThree, 500, {.top_k = 2}));
    EXPECT_EQ(two.size(), 2U);
    EXPECT_FALSE(two.contains(T::kC));
}

TEST(Sampling, NucleusKeepsTheFewestWordsThatHoldItsProbability) {
    EXPECT_EQ(first_words(draw(kThree, 200, {.nucleus = 0.5})).size(), 1U);  // 4/7 is enough
    EXPECT_EQ(first_words(draw(kThree, 500, {.nucleus = 0.6})).size(), 2U);
    EXPECT_EQ(first_words(draw(kThree, 500, {.nucleus = 0.99})).size(), 3U);
}

TEST(Sampling, LogProbabilitiesAreThoseOfTheNetwork) {
    for (const Sentence& sentence : draw(kThree, 20, {.temperature = 0.3, .top_k = 2})) {
        const double expected = sentence.tokens.front() == T::kA ? 4.0 / 7 : 2.0 / 7;
        EXPECT_NEAR(std::exp(sentence.log_probabilities.front()), expected, 1e-5);
        EXPECT_TRUE(sentence.complete);
        EXPECT_EQ(sentence.attention.size(), 1U);
    }
}

TEST(Sampling, EqualSeedsGiveEqualSentencesWhateverElseIsInTheBatch) {
    const auto many = draw(kThree, 50, {.seed = 7});
    const auto few = draw(kThree, 3, {.seed = 7});
    for (std::size_t i = 0; i < few.size(); ++i) {
        EXPECT_EQ(few[i].tokens, many[i].tokens);
    }
    EXPECT_GT(first_words(many).size(), 1U);
}

TEST(Sampling, NeverDrawsWhatIsForbidden) {
    const T::Table table{{T::kStart, {{T::kPad, 30.F}, {T::kStart, 30.F}, {T::kUnknown, 30.F}}}};
    DecodingOptions options;
    options.maximum_length = 3;
    for (const Sentence& sentence : draw(table, 50, {}, options)) {
        for (const int token : sentence.tokens) {
            EXPECT_GE(token, static_cast<int>(T::kA));
        }
    }
}

TEST(Sampling, ASentenceWithoutEndIsIncomplete) {
    const T::Table loop{{T::kStart, {{T::kA, 30.F}}}, {T::kA, {{T::kA, 30.F}}}};
    DecodingOptions options = all_words();
    options.maximum_length = 4;
    const Sentence sentence = draw(loop, 1, {}, options).front();
    EXPECT_EQ(sentence.tokens, (std::vector<int>(4, T::kA)));
    EXPECT_FALSE(sentence.complete);
}

TEST(Sampling, RefusesValuesOutOfRange) {
    for (const Sampling& wrong :
         {Sampling{.temperature = 0}, Sampling{.temperature = NAN}, Sampling{.top_k = -1},
          Sampling{.nucleus = 0}, Sampling{.nucleus = 1.5}}) {
        EXPECT_THROW(check(wrong), Error);
    }
}

}  // namespace
}  // namespace seesay::language
