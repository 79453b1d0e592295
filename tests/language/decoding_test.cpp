// Sentence search on look-up tables: every option and every way to end.
#include "models/language/decoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "tests/language/table_captioner.hpp"

namespace seesay::language {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using T = TableCaptioner;

vision::FeatureSet picture(int places = 3) {
    vision::FeatureSet features;
    features.count = places;
    features.dimension = 1;
    features.vectors.assign(static_cast<std::size_t>(places), 0.F);
    return features;
}

DecodingOptions free_options(int beam) {
    DecodingOptions options;
    options.beam = beam;
    options.maximum_length = 6;
    options.forbid_repeats = false;
    options.block_ngrams = 0;
    options.length_exponent = 0.0;
    return options;
}

Sentence search(const T::Table& table, const DecodingOptions& options) {
    return describe(TableCaptioner(table), picture(), options);
}

/// Greedy would start with `a`; the sentence that starts with `b` is more probable as a whole.
const T::Table kGarden{{T::kStart, {{T::kA, 1.F}, {T::kB, 0.9F}}},
                       {T::kA, {{T::kC, 0.F}, {T::kD, 0.F}, {T::kE, 0.F}}},
                       {T::kB, {{T::kEnd, 5.F}}},
                       {T::kC, {{T::kEnd, 5.F}}},
                       {T::kD, {{T::kEnd, 5.F}}},
                       {T::kE, {{T::kEnd, 5.F}}}};

TEST(Decoding, BeamFindsWhatGreedyMisses) {
    EXPECT_THAT(search(kGarden, free_options(1)).tokens, ElementsAre(T::kA, T::kC));
    EXPECT_THAT(search(kGarden, free_options(2)).tokens, ElementsAre(T::kB));
}

TEST(Decoding, LengthExponentFavoursLongerSentences) {
    const T::Table table{{T::kStart, {{T::kA, 0.F}}},
                         {T::kA, {{T::kEnd, 0.F}, {T::kE, -0.1F}}},
                         {T::kE, {{T::kF, 5.F}}},
                         {T::kF, {{T::kEnd, 5.F}}}};
    auto options = free_options(2);
    options.forbid_repeats = true;  // else "a a" ends before the longer sentence can
    EXPECT_THAT(search(table, options).tokens, ElementsAre(T::kA));
    options.length_exponent = 1.0;
    const Sentence longer = search(table, options);
    EXPECT_THAT(longer.tokens, ElementsAre(T::kA, T::kE, T::kF));
    double sum = longer.end_log_probability;
    for (const float log_probability : longer.log_probabilities) {
        sum += log_probability;
    }
    EXPECT_NEAR(longer.score, sum / 4.0, 1e-6);
}

TEST(Decoding, EqualScoresTakeTheLowerId) {
    const T::Table table{{T::kStart, {{T::kF, 1.F}, {T::kC, 1.F}, {T::kD, 1.F}}},
                         {T::kC, {{T::kEnd, 3.F}}},
                         {T::kD, {{T::kEnd, 3.F}}},
                         {T::kF, {{T::kEnd, 3.F}}}};
    for (const int beam : {1, 2, 3, 10}) {
        EXPECT_THAT(search(table, free_options(beam)).tokens, ElementsAre(T::kC)) << beam;
    }
}

const T::Table kLoop{{T::kStart, {{T::kA, 5.F}}},
                     {T::kA, {{T::kA, 5.F}, {T::kB, 4.F}, {T::kEnd, -5.F}}},
                     {T::kB, {{T::kA, 5.F}, {T::kC, 3.F}}},
                     {T::kC, {{T::kEnd, 5.F}}}};

TEST(Decoding, WithoutOptionsALoopRunsToTheLengthLimit) {
    const Sentence sentence = search(kLoop, free_options(1));
    EXPECT_THAT(sentence.tokens, ElementsAre(T::kA, T::kA, T::kA, T::kA, T::kA, T::kA));
    EXPECT_FALSE(sentence.complete);
    EXPECT_EQ(sentence.end_log_probability, 0.F);
}

TEST(Decoding, ForbidsWordsDirectlyAfterThemselves) {
    auto options = free_options(1);
    options.forbid_repeats = true;
    EXPECT_THAT(search(kLoop, options).tokens,
                ElementsAre(T::kA, T::kB, T::kA, T::kB, T::kA, T::kB));
}

TEST(Decoding, BlocksNgramsThatWereThere) {
    auto options = free_options(1);
    options.forbid_repeats = true;
    options.block_ngrams = 2;
    options.maximum_length = 20;
    // After a b a, the pair "a b" would come again, so a must be followed by the end.
    EXPECT_THAT(search(kLoop, options).tokens, ElementsAre(T::kA, T::kB, T::kA));
    options.block_ngrams = 3;
    EXPECT_THAT(search(kLoop, options).tokens, ElementsAre(T::kA, T::kB, T::kA, T::kB, T::kC));
    options.block_ngrams = 1;
    EXPECT_THAT(search(kLoop, options).tokens, ElementsAre(T::kA, T::kB, T::kC));
}

TEST(Decoding, NoSentenceEndsInABadEnding) {
    const T::Table table{{T::kStart, {{T::kA, 5.F}}},
                         {T::kA, {{T::kEnd, 5.F}, {T::kB, 1.F}}},
                         {T::kB, {{T::kEnd, 5.F}}}};
    auto options = free_options(2);
    EXPECT_THAT(search(table, options).tokens, ElementsAre(T::kA));
    options.bad_endings = {"a", "not a word of it"};
    EXPECT_THAT(search(table, options).tokens, ElementsAre(T::kA, T::kB));
    options.bad_endings = {"a", "b", "c", "d", "e", "f"};
    EXPECT_FALSE(search(table, options).complete);
}

TEST(Decoding, ForbiddenWordsAreNeverSaid) {
    auto options = free_options(2);
    options.forbidden_words = {"b", "zebra"};
    EXPECT_THAT(search(kGarden, options).tokens, ElementsAre(T::kA, T::kC));
    options.forbidden_words = {"b", "c", "a"};
    for (const int token : search(kGarden, options).tokens) {
        EXPECT_GT(token, T::kC);
    }
}

TEST(Decoding, RequiredWordsAreSaid) {
    for (const int beam : {1, 2, 4}) {
        auto options = free_options(beam);
        options.required_words = {"d"};
        const Sentence one = search(kGarden, options);
        EXPECT_THAT(one.tokens, testing::Contains(T::kD)) << beam;
        EXPECT_TRUE(one.complete);
        options.required_words = {"d", "b", "d"};
        const Sentence two = search(kGarden, options);
        EXPECT_THAT(two.tokens, testing::IsSupersetOf({T::kD, T::kB})) << beam;
        EXPECT_TRUE(two.complete);
    }
    auto options = free_options(3);
    options.required_words = {"d"};
    // Of all sentences that hold d, the most probable one: found by trying those of up to 3 words.
    const TableCaptioner captioner(kGarden);
    double best = -1e9;
    for (const int first : {T::kA, T::kB, T::kC, T::kD, T::kE, T::kF}) {
        for (const int second : {T::kA, T::kB, T::kC, T::kD, T::kE, T::kF}) {
            for (const auto& tokens : {std::vector<int>{first}, std::vector<int>{first, second},
                                       std::vector<int>{first, second, T::kD}}) {
                if (std::find(tokens.begin(), tokens.end(), int{T::kD}) != tokens.end()) {
                    best = std::max(best, score(captioner, picture(), tokens, 0.0).score);
                }
            }
        }
    }
    EXPECT_NEAR(search(kGarden, options).score, best, 1e-5);
}

TEST(Decoding, RequiredWordsThatDoNotFitAreAsManyAsPossible) {
    auto options = free_options(2);
    options.maximum_length = 2;
    options.required_words = {"d", "e", "f"};
    const Sentence sentence = search(kGarden, options);
    EXPECT_FALSE(sentence.complete);
    EXPECT_EQ(sentence.tokens.size(), 2U);
    for (const int token : sentence.tokens) {
        EXPECT_GE(token, T::kD);
    }
    options.required_words = {"zebra"};
    EXPECT_THROW(search(kGarden, options), Error);
}

TEST(Decoding, WuPenaltyDividesByItsOwnRule) {
    auto options = free_options(2);
    options.length_penalty = LengthPenalty::Wu;
    options.length_exponent = 0.9;
    const Sentence sentence = search(kGarden, options);
    double sum = sentence.end_log_probability;
    for (const float log_probability : sentence.log_probabilities) {
        sum += log_probability;
    }
    const double length = static_cast<double>(sentence.tokens.size()) + 1;
    EXPECT_NEAR(sentence.score, sum / std::pow((5 + length) / 6, 0.9), 1e-6);
}

TEST(Decoding, GroupsSayDifferentThings) {
    const TableCaptioner captioner(kGarden);
    const auto features = picture();
    const vision::FeatureSet* const one[] = {&features};
    const auto prepared = captioner.prepare(one);
    SentenceTask task;
    task.options = free_options(3);
    task.options.groups = 3;
    task.options.diversity = 0.0;
    auto all = decode_all(captioner, *prepared, {&task, 1}).front();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].tokens, all[1].tokens);  // greedy, three times
    EXPECT_EQ(all[0].tokens, all[2].tokens);
    task.options.diversity = 3.0;
    all = decode_all(captioner, *prepared, {&task, 1}).front();
    ASSERT_EQ(all.size(), 3U);
    // a first; the second group avoids a and says b; the third avoids both once.
    EXPECT_NE(all[0].tokens, all[1].tokens);
    EXPECT_NE(all[1].tokens, all[2].tokens);
    EXPECT_GE(all[0].score, all[1].score);
    EXPECT_GE(all[1].score, all[2].score);
    for (const auto& sentence : all) {  // scores are the network's own
        EXPECT_NEAR(sentence.score, score(captioner, features, sentence.tokens, 0.0).score, 1e-5);
    }
    EXPECT_EQ(decode(captioner, *prepared, {&task, 1}).front().tokens, all[0].tokens);
}

TEST(Decoding, NewOptionsSurviveJson) {
    DecodingOptions options;
    options.length_penalty = LengthPenalty::Wu;
    options.bad_endings = {"a", "the"};
    options.forbidden_words = {"x"};
    options.required_words = {"dog"};
    options.beam = 6;
    options.groups = 2;
    options.diversity = 0.25;
    const auto json = to_json(options);
    EXPECT_EQ(to_json(read_decoding_options(json, "model.json")), json);
    EXPECT_THROW(read_decoding_options({{"bad_endings", "a"}}, "model.json"), Error);
    EXPECT_THROW(read_decoding_options({{"bad_endings", {1}}}, "model.json"), Error);
    options.groups = 4;
    EXPECT_THROW(check(options), Error);
    options.groups = 1;
    options.required_words = {"a", "b", "c", "d", "e"};
    EXPECT_THROW(check(options), Error);
}

TEST(Decoding, SuppressesTheUnknownWordOnlyIfAsked) {
    const T::Table table{{T::kStart, {{T::kUnknown, 5.F}, {T::kA, 1.F}}},
                         {T::kUnknown, {{T::kEnd, 5.F}}},
                         {T::kA, {{T::kEnd, 5.F}}}};
    auto options = free_options(2);
    EXPECT_THAT(search(table, options).tokens, ElementsAre(T::kA));
    options.suppress_unknown = false;
    EXPECT_THAT(search(table, options).tokens, ElementsAre(T::kUnknown));
}

TEST(Decoding, NeverSaysPadOrStart) {
    const T::Table table{{T::kStart, {{T::kPad, 9.F}, {T::kStart, 8.F}, {T::kA, 1.F}}},
                         {T::kA, {{T::kEnd, 5.F}}}};
    EXPECT_THAT(search(table, free_options(3)).tokens, ElementsAre(T::kA));
}

TEST(Decoding, KeepsTheMinimumLength) {
    const T::Table table{{T::kStart, {{T::kEnd, 5.F}, {T::kA, 0.F}}},
                         {T::kA, {{T::kEnd, 5.F}, {T::kB, 0.F}}},
                         {T::kB, {{T::kEnd, 5.F}}}};
    auto options = free_options(3);
    options.minimum_length = 0;
    EXPECT_THAT(search(table, options).tokens, IsEmpty());
    EXPECT_TRUE(search(table, options).complete);
    options.minimum_length = 2;
    EXPECT_THAT(search(table, options).tokens, ElementsAre(T::kA, T::kB));
}

TEST(Decoding, EndsEarlyWhereEveryWordIsForbidden) {
    auto options = free_options(4);
    options.block_ngrams = 1;  // each of the six words once at most
    options.minimum_length = 20;
    options.maximum_length = 20;
    const Sentence sentence = search({}, options);
    EXPECT_EQ(sentence.tokens.size(), 6U);
    EXPECT_TRUE(sentence.complete);
}

TEST(Decoding, ASentenceOfTheGreatestLengthMayStillEnd) {
    const T::Table table{{T::kStart, {{T::kA, 5.F}}},
                         {T::kA, {{T::kB, 5.F}}},
                         {T::kB, {{T::kEnd, 1.F}, {T::kC, 0.F}}}};
    auto options = free_options(1);
    options.maximum_length = 2;
    const Sentence sentence = search(table, options);
    EXPECT_THAT(sentence.tokens, ElementsAre(T::kA, T::kB));
    EXPECT_TRUE(sentence.complete);
    EXPECT_LT(sentence.end_log_probability, 0.F);
}

TEST(Decoding, ABeamWiderThanTheVocabularyWorks) {
    EXPECT_THAT(search(kGarden, free_options(100)).tokens, ElementsAre(T::kB));
}

TEST(Decoding, AttentionHasOneRowAWord) {
    const Sentence sentence = describe(TableCaptioner(kGarden), picture(2), free_options(1));
    EXPECT_EQ(sentence.attended, 2);
    EXPECT_THAT(sentence.attention, ElementsAre(1.F, 0.F, 0.F, 1.F));
}

TEST(Decoding, NumbersThatAreNotFiniteAreAnErrorNeverACaption) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()}) {
        for (const int word : {+T::kPad, +T::kEnd, +T::kF}) {
            T::Table table = kGarden;
            table[T::kA][word] = bad;
            try {
                search(table, free_options(3));
                FAIL() << "a caption came out";
            } catch (const Error& error) {
                EXPECT_THAT(error.what(), HasSubstr("not finite"));
            }
        }
    }
}

TEST(Decoding, ScoresAnyTokensAndRefusesThoseOutsideTheVocabulary) {
    const TableCaptioner captioner(kGarden);
    const Sentence sentence = score(captioner, picture(), {T::kB}, 0.0);
    EXPECT_EQ(sentence.log_probabilities.size(), 1U);
    EXPECT_TRUE(sentence.complete);
    const Sentence open = score(captioner, picture(), {T::kB}, 0.0, false);
    EXPECT_FALSE(open.complete);
    EXPECT_NEAR(open.score, open.log_probabilities[0], 1e-6);
    EXPECT_THAT(score(captioner, picture(), {}, 0.0, false).tokens, IsEmpty());
    EXPECT_TRUE(score(captioner, picture(), {}, 0.0, true).complete);
    EXPECT_THROW(score(captioner, picture(), {T::kSize}, 0.0), Error);
    EXPECT_THROW(score(captioner, picture(), {-1}, 0.0), Error);
}

TEST(Decoding, RefusesOptionsOutOfRange) {
    const auto refused = [](auto change) {
        DecodingOptions options;
        change(options);
        EXPECT_THROW(check(options), Error);
    };
    refused([](auto& o) { o.beam = 0; });
    refused([](auto& o) { o.beam = 101; });
    refused([](auto& o) { o.length_exponent = std::nan(""); });
    refused([](auto& o) { o.length_exponent = -1; });
    refused([](auto& o) { o.maximum_length = 0; });
    refused([](auto& o) { o.minimum_length = 21; });
    refused([](auto& o) { o.block_ngrams = -1; });
}

TEST(Decoding, ReadsOptionsAndNamesWrongOnes) {
    DecodingOptions options;
    options.beam = 7;
    options.length_exponent = 0.25;
    options.forbid_repeats = false;
    const auto read = read_decoding_options(to_json(options), "model.json");
    EXPECT_EQ(to_json(read), to_json(options));
    const auto message = [](const char* json) -> std::string {
        try {
            read_decoding_options(nlohmann::json::parse(json), "p/model.json");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(message(R"({"beem": 3})"), HasSubstr("did you mean \"beam\""));
    EXPECT_THAT(message(R"({"beam": "3"})"), HasSubstr("decoding.beam"));
    EXPECT_THAT(message(R"({"minimum_length": 30})"), HasSubstr("p/model.json"));
    EXPECT_THAT(message("[]"), HasSubstr("decoding"));
}

TEST(Decoding, ACaptionCarriesEverythingKnown) {
    const TableCaptioner captioner(kGarden);
    vision::FeatureSet features = picture(2);
    features.geometry.rows = 1;
    features.geometry.columns = 2;
    features.frame.id = 42;
    features.inference_ns = 1000;
    const Sentence sentence = describe(captioner, features, free_options(1));
    const Caption caption = to_caption(captioner, features, sentence, 500);
    EXPECT_EQ(caption.text, "a c");
    EXPECT_EQ(caption.language, "en");
    EXPECT_EQ(caption.tokens.size(), 2U);
    EXPECT_EQ(caption.tokens[1].text, "c");
    EXPECT_EQ(caption.frame.id, 42U);
    EXPECT_EQ(caption.geometry.columns, 2);
    EXPECT_EQ(caption.attended, 2);
    EXPECT_EQ(caption.inference_ns, 1500);
    EXPECT_EQ(caption.model.name, "table");
    const double mean = (static_cast<double>(caption.tokens[0].log_probability) +
                         caption.tokens[1].log_probability + caption.end_log_probability) /
                        3.0;
    EXPECT_NEAR(caption.confidence, std::exp(mean), 1e-6);
}

}  // namespace
}  // namespace seesay::language
