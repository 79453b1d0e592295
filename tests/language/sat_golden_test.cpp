// Show-Attend-Tell against golden values from an independent NumPy routine (make_sat_golden.py),
// and what must hold between greedy, beam, batches and scoring.
#include "tests/language/sat_golden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/language/decoding.hpp"
#include "models/language/step_kernels.hpp"

namespace seesay::language {
namespace {

class SatGoldenTest : public testing::TestWithParam<const char*> {
 protected:
    SatGolden golden = read_sat_golden(GetParam());

    std::vector<vision::FeatureSet> all_features() const {
        std::vector<vision::FeatureSet> features;
        for (std::size_t i = 0; i < golden.pictures(); ++i) {
            features.push_back(golden.features(i));
        }
        return features;
    }
};

std::unique_ptr<PreparedPictures> prepare(const Captioner& captioner,
                                          const std::vector<vision::FeatureSet>& features) {
    std::vector<const vision::FeatureSet*> pointers;
    for (const auto& set : features) {
        pointers.push_back(&set);
    }
    return captioner.prepare(pointers);
}

void expect_equal(const Sentence& a, const Sentence& b) {
    EXPECT_EQ(a.tokens, b.tokens);
    EXPECT_EQ(a.log_probabilities, b.log_probabilities);
    EXPECT_EQ(a.attention, b.attention);
    EXPECT_EQ(a.end_log_probability, b.end_log_probability);
    EXPECT_EQ(a.complete, b.complete);
    EXPECT_EQ(a.score, b.score);
}

// Pictures with different L in one batch: padded places get exactly zero attention.
TEST_P(SatGoldenTest, LogitsAndAttentionAreThoseOfTheEquations) {
    const Captioner& captioner = *golden.captioner;
    const auto features = all_features();
    const auto prepared = prepare(captioner, features);
    const std::vector<int> rows{0, 1, 2};
    const auto state = captioner.start(*prepared, rows);
    StepOutput output;
    std::vector<int> tokens(rows.size(), captioner.vocabulary().start());
    for (std::size_t t = 0; t < golden.picture(0).at("logits").size(); ++t) {
        captioner.step(*prepared, *state, tokens, output);
        for (const int row : rows) {
            const auto& picture = golden.picture(static_cast<std::size_t>(row));
            const auto logits = picture.at("logits").at(t).get<std::vector<double>>();
            const auto attention = picture.at("attention").at(t).get<std::vector<double>>();
            for (std::size_t word = 0; word < logits.size(); ++word) {
                ASSERT_NEAR(output.logits.row(row, output.logits_stride)[word], logits[word], 1e-5)
                    << "step " << t << ", row " << row << ", word " << word;
            }
            for (std::size_t i = 0; i < static_cast<std::size_t>(output.attention_stride); ++i) {
                const float alpha = output.attention.row(row, output.attention_stride)[i];
                if (i < attention.size()) {
                    ASSERT_NEAR(alpha, attention[i], 1e-5);
                } else {
                    ASSERT_EQ(alpha, 0.F);
                }
            }
            if (t < picture.at("words").size()) {
                tokens[static_cast<std::size_t>(row)] = picture.at("words").at(t).get<int>();
            }
        }
    }
}

TEST_P(SatGoldenTest, ScoresGivenWords) {
    for (std::size_t i = 0; i < golden.pictures(); ++i) {
        const auto& picture = golden.picture(i);
        const auto words = picture.at("words").get<std::vector<int>>();
        const auto expected = picture.at("log_probabilities").get<std::vector<double>>();
        const Sentence sentence = score(*golden.captioner, golden.features(i), words, 0.0);
        double sum = 0.0;
        for (std::size_t t = 0; t < words.size(); ++t) {
            EXPECT_NEAR(sentence.log_probabilities[t], expected[t], 1e-4);
            sum += expected[t];
        }
        EXPECT_NEAR(sentence.end_log_probability, expected.back(), 1e-4);
        EXPECT_NEAR(sentence.score, sum + expected.back(), 1e-4);
        EXPECT_EQ(sentence.attention.size(), words.size() * picture.at("count").get<std::size_t>());
    }
}

TEST_P(SatGoldenTest, FindsTheSameSentences) {
    for (std::size_t i = 0; i < golden.pictures(); ++i) {
        for (const auto& search : golden.picture(i).at("searches")) {
            const auto options = read_decoding_options(
                nlohmann::json{{"beam", search["options"]["beam"]},
                               {"length_exponent", search["options"]["length_exponent"]},
                               {"maximum_length", search["options"]["maximum_length"]},
                               {"minimum_length", search["options"]["minimum_length"]},
                               {"suppress_unknown", search["options"]["suppress_unknown"]},
                               {"forbid_repeats", search["options"]["forbid_repeats"]},
                               {"block_ngrams", search["options"]["block_ngrams"]}},
                "golden.json");
            const Sentence sentence = describe(*golden.captioner, golden.features(i), options);
            EXPECT_EQ(sentence.tokens, search.at("tokens").get<std::vector<int>>());
            EXPECT_EQ(sentence.complete, search.at("complete").get<bool>());
            EXPECT_NEAR(sentence.score, search.at("score").get<double>(), 1e-4);
        }
    }
}

TEST_P(SatGoldenTest, ABeamOfOneTakesTheBestWordAtEachStep) {
    const Captioner& captioner = *golden.captioner;
    DecodingOptions options;
    options.beam = 1;
    options.minimum_length = 0;
    options.maximum_length = 7;
    options.block_ngrams = 0;
    options.forbid_repeats = false;
    for (const auto& features : all_features()) {
        const Sentence sentence = describe(captioner, features, options);
        const auto prepared = prepare(captioner, {features});
        const std::vector<int> first{0};
        const auto state = captioner.start(*prepared, first);
        StepOutput output;
        int token = captioner.vocabulary().start();
        for (std::size_t t = 0; t <= sentence.tokens.size(); ++t) {
            captioner.step(*prepared, *state, std::vector<int>{token}, output);
            float* logits = output.logits.data();
            for (const int never : {captioner.vocabulary().pad(), captioner.vocabulary().start(),
                                    captioner.vocabulary().unknown()}) {
                logits[never] = -1e30F;
            }
            token = static_cast<int>(
                std::max_element(logits, logits + captioner.vocabulary().size()) - logits);
            if (t < sentence.tokens.size()) {
                ASSERT_EQ(token, sentence.tokens[t]);
            } else if (sentence.complete) {
                ASSERT_EQ(token, captioner.vocabulary().end());
            }
        }
    }
}

TEST_P(SatGoldenTest, ABatchGivesWhatEachPictureGivesAlone) {
    const Captioner& captioner = *golden.captioner;
    const auto features = all_features();
    const auto prepared = prepare(captioner, features);
    std::vector<SentenceTask> tasks;
    for (int i = 0; i < 3; ++i) {
        SentenceTask search;
        search.picture = i;
        search.options.beam = 2 + i;
        tasks.push_back(search);
        SentenceTask given;
        given.picture = 2 - i;
        given.given = true;
        given.tokens = {5, 9, 5, 12};
        given.ends = i != 1;
        tasks.push_back(given);
    }
    const auto together = decode(captioner, *prepared, tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto& one = features[static_cast<std::size_t>(tasks[i].picture)];
        const auto alone = tasks[i].given ? score(captioner, one, tasks[i].tokens,
                                                  tasks[i].options.length_exponent, tasks[i].ends)
                                          : describe(captioner, one, tasks[i].options);
        expect_equal(together[i], alone);
    }
}

TEST_P(SatGoldenTest, ScoringAFoundSentenceGivesItsOwnNumbers) {
    for (const int beam : {1, 3, 7}) {
        for (const auto& features : all_features()) {
            DecodingOptions options;
            options.beam = beam;
            const Sentence found = describe(*golden.captioner, features, options);
            expect_equal(found, score(*golden.captioner, features, found.tokens,
                                      options.length_exponent, found.complete));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, SatGoldenTest, testing::Values("paper", "authors", "plain"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace seesay::language
