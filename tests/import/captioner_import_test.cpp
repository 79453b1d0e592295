// Checkpoints that public repositories saved themselves, with the log-probabilities and attention
// that they computed (make_network_goldens.py), through import into captioners.
#include "models/import/captioner_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "models/error.hpp"
#include "models/import/import_checkpoint.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/weights/model_package.hpp"
#include "tests/fixtures/tiny_packages.hpp"

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

// The whole way: file, word list and encoder to a package that captions.
TEST_P(PublicCheckpoint, BecomesAPackage) {
    const fixtures::TemporaryFolder folder;
    const auto tiny = fixtures::make_tiny_packages(folder.path() / "tiny");
    // An encoder that says it gives vectors of the size that the checkpoint wants.
    const auto original = weights::ModelPackage::open(tiny.encoder);
    auto manifest = original.manifest();
    manifest["name"] = "small";
    manifest["features"]["dimension"] = imported(GetParam()).sizes.at("features");
    std::vector<weights::NamedTensor> tensors;
    for (const auto& [name, tensor] : original.tensors().tensors()) {
        tensors.push_back(tensor);
    }
    for (const char* key : {"format", "format_version", "files", "sha256"}) {
        manifest.erase(key);
    }
    weights::write_package(folder.path() / "small", manifest, tensors, {{"README.md", "small"}},
                           false);

    ImportOptions options;
    options.vocabulary = folder_of(GetParam()) / GetParam().words;
    options.encoder = (folder.path() / "small").string();
    const auto file = folder_of(GetParam()) / GetParam().checkpoint;
    const auto report = import_checkpoint(file, folder.path() / "public", options);
    EXPECT_EQ(report.architecture, GetParam().architecture);
    const auto package = weights::ModelPackage::open(folder.path() / "public");
    EXPECT_EQ(package.sha256(), report.sha256);
    const auto captioner = language::load_captioner(package);
    EXPECT_EQ(captioner->identity().encoder_name, "small");
    const auto exact = captioner_of(imported(GetParam()));
    for (auto set : features()) {
        set.encoder_sha256 = captioner->identity().encoder_sha256;
        const auto sentence = language::describe(*captioner, set, captioner->decoding_defaults());
        EXPECT_EQ(sentence.tokens,
                  language::describe(*exact, set, exact->decoding_defaults()).tokens);
    }

    options.encoder = tiny.encoder.string();
    EXPECT_THAT([&] { (void)import_checkpoint(file, folder.path() / "other", options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("vectors of 1280")));
    options.encoder.clear();
    EXPECT_THAT([&] { (void)import_checkpoint(file, folder.path() / "other", options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("--encoder")));
    EXPECT_NE(explain_checkpoint(file, options).summary, "");
    options.vocabulary.clear();
    EXPECT_THAT([&] { (void)explain_checkpoint(file, options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("--vocabulary")));
    EXPECT_FALSE(fs::exists(folder.path() / "other"));
}

TEST(ForeignVocabulary, ReordersAreCaught) {
    const Case which{"updown", "model.pth", "infos.pkl", "up-down", 0};
    auto words = read_foreign_vocabulary(folder_of(which) / which.words);
    std::swap(words.words[3], words.words.rbegin()->second);
    EXPECT_THAT(
        [&] {
            (void)import_captioner(weights::Checkpoint::open(folder_of(which) / which.checkpoint),
                                   words);
        },
        testing::ThrowsMessage<Error>(testing::HasSubstr("another order")));
}

TEST(ForeignVocabulary, JsonFormsAndNonsense) {
    const fixtures::TemporaryFolder folder;
    const auto file = folder.path() / "words.json";
    const auto read = [&](const std::string& text) {
        std::ofstream(file) << text;
        return read_foreign_vocabulary(file);
    };
    EXPECT_EQ(read(R"({"ix_to_word": {"1": "a", "2": "UNK"}, "images": []})").words,
              (std::map<std::int64_t, std::string>{{1, "a"}, {2, "UNK"}}));
    EXPECT_EQ(read(R"({"a": 1, "<pad>": 0})").words,
              (std::map<std::int64_t, std::string>{{0, "<pad>"}, {1, "a"}}));
    EXPECT_THROW(read("[1]"), Error);
    EXPECT_THROW(read("{}"), Error);
    EXPECT_THROW(read(R"({"a": 1, "b": 1})"), Error);
    EXPECT_THROW(read(R"({"ix_to_word": {"1": "a", "2": "a"}})"), Error);
    EXPECT_THROW(read(R"({"ix_to_word": {"x": "a"}})"), Error);
    EXPECT_THROW(read(R"({"a": -1})"), Error);
    EXPECT_THROW(read_foreign_vocabulary(folder.path() / "absent"), Error);
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
