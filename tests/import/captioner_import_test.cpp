// Checkpoints that public repositories saved themselves, with the log-probabilities and attention
// that they computed (make_network_goldens.py), through import into captioners.
#include "models/import/captioner_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"

namespace seesay::import {
namespace {

namespace fs = std::filesystem;

struct Case {
    const char* folder;
    const char* checkpoint;
    const char* words;
    const char* architecture;
    double tolerance;
};

fs::path folder_of(const Case& which) {
    return fs::path(SEESAY_FIXTURES) / "networks" / which.folder;
}

ImportedCaptioner imported(const Case& which) {
    return import_captioner(weights::Checkpoint::open(folder_of(which) / which.checkpoint),
                            read_foreign_vocabulary(folder_of(which) / which.words));
}

std::unique_ptr<language::Captioner> captioner_of(const ImportedCaptioner& from) {
    language::CaptionerParts parts{
        "imported", from.architecture, from.sizes,    from.options,
        {},         from.vocabulary,   from.decoding, {"imported", "", "", ""}};
    for (const auto& tensor : from.tensors) {
        parts.tensors.emplace(tensor.name, tensor);
    }
    return language::make_captioner(parts);
}

class PublicCheckpoint : public testing::TestWithParam<Case> {
 protected:
    nlohmann::json golden = [] {
        std::ifstream stream(folder_of(GetParam()) / "golden.json");
        return nlohmann::json::parse(stream);
    }();

    // Number of the file → ours: number 0 is the end where the file has no word for it.
    int token(const language::Vocabulary& vocabulary, const ForeignVocabulary& words,
              std::int64_t number) const {
        const auto found = words.words.find(number);
        if (found == words.words.end()) {
            return vocabulary.end();
        }
        return vocabulary.id(found->second == "UNK" ? std::string(language::kUnknownToken)
                                                    : found->second);
    }

    std::vector<vision::FeatureSet> features() const {
        std::vector<vision::FeatureSet> sets;
        for (const auto& picture : golden.at("pictures")) {
            auto& set = sets.emplace_back();
            set.vectors = picture.at("features").get<std::vector<float>>();
            set.count = picture.at("count").get<int>();
            set.dimension = static_cast<int>(set.vectors.size()) / set.count;
        }
        return sets;
    }
};

// Both pictures in one batch: the padded places of the shorter one get no attention.
TEST_P(PublicCheckpoint, GivesTheNumbersOfItsRepository) {
    const ImportedCaptioner from = imported(GetParam());
    EXPECT_EQ(from.architecture, GetParam().architecture);
    const auto words = read_foreign_vocabulary(folder_of(GetParam()) / GetParam().words);
    const auto captioner = captioner_of(from);
    const auto& vocabulary = captioner->vocabulary();
    const auto sets = features();
    const std::vector<const vision::FeatureSet*> pointers{&sets[0], &sets[1]};
    const auto prepared = captioner->prepare(pointers);
    const std::vector<int> rows{0, 1};
    const auto state = captioner->start(*prepared, rows);
    language::StepOutput output;
    std::vector<int> tokens(2, vocabulary.start());
    const std::size_t steps = golden["pictures"][1]["log_probabilities"].size();
    for (std::size_t t = 0; t < steps; ++t) {
        captioner->step(*prepared, *state, tokens, output);
        for (const int row : rows) {
            const auto& picture = golden["pictures"][static_cast<std::size_t>(row)];
            const auto expected = picture["log_probabilities"][t].get<std::vector<double>>();
            const float* logits = output.logits.row(row, output.logits_stride);
            double sum = 0;
            for (int word = 0; word < vocabulary.size(); ++word) {
                sum += std::exp(double{logits[word]});
            }
            for (std::size_t number = 0; number < expected.size(); ++number) {
                const int word = token(vocabulary, words, static_cast<std::int64_t>(number));
                ASSERT_NEAR(logits[word] - std::log(sum), expected[number], GetParam().tolerance)
                    << "step " << t << ", row " << row << ", word " << number;
            }
            if (picture["attention"].is_null()) {
                EXPECT_EQ(output.attention_stride, 0);
                continue;
            }
            const auto attention = picture["attention"][t].get<std::vector<double>>();
            for (std::size_t i = 0; i < 5; ++i) {
                const float found = output.attention.row(row, output.attention_stride)[i];
                if (i < attention.size()) {
                    ASSERT_NEAR(found, attention[i], 1e-5);
                } else {
                    ASSERT_EQ(found, 0.F);
                }
            }
        }
        for (const int row : rows) {
            const auto& sentence = golden["pictures"][static_cast<std::size_t>(row)]["words"];
            if (t < sentence.size()) {
                tokens[static_cast<std::size_t>(row)] =
                    token(vocabulary, words, sentence[t].get<std::int64_t>());
            }
        }
    }
}

TEST_P(PublicCheckpoint, WhatCannotBeSaidIsNeverSaid) {
    const auto captioner = captioner_of(imported(GetParam()));
    for (const auto& set : features()) {
        for (const int beam : {1, 4}) {
            auto options = captioner->decoding_defaults();
            options.beam = beam;
            const auto sentence = language::describe(*captioner, set, options);
            for (const int word : sentence.tokens) {
                EXPECT_NE(word, captioner->vocabulary().pad());
                EXPECT_NE(word, captioner->vocabulary().start());
            }
        }
    }
}

TEST_P(PublicCheckpoint, AWordListOfAnotherSizeIsRefusedWithBothSizes) {
    auto words = read_foreign_vocabulary(folder_of(GetParam()) / GetParam().words);
    const auto size = words.words.size();
    words.words.erase(std::prev(words.words.end()));
    try {
        import_captioner(weights::Checkpoint::open(folder_of(GetParam()) / GetParam().checkpoint),
                         words);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(size)));
        EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(size - 1)));
    }
}

INSTANTIATE_TEST_SUITE_P(Repositories, PublicCheckpoint,
                         testing::Values(Case{"updown", "model.pth", "infos.pkl", "up-down", 1e-4},
                                         Case{"att2in", "model.pth", "infos.pkl", "att2in", 1e-4},
                                         Case{"att2in2", "model.pth", "infos.pkl", "att2in", 1e-4},
                                         Case{"newfc", "model.pth", "infos.pkl", "nic", 1e-4},
                                         Case{"transformer", "model.pth", "infos.pkl",
                                              "transformer", 2e-4},
                                         Case{"sgrvinod", "BEST_checkpoint.pth.tar", "WORDMAP.json",
                                              "show-attend-tell", 1e-4}),
                         [](const auto& info) { return std::string(info.param.folder); });

}  // namespace
}  // namespace seesay::import
