// Tokens and metrics of our own captions against pycocoevalcap's; make_goldens.py made the values.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/metrics/caption_files.hpp"
#include "models/metrics/caption_scores.hpp"
#include "models/metrics/ptb_tokenizer.hpp"
#include "models/metrics/stemmer.hpp"

namespace seesay::metrics {
namespace {

const std::string kFolder = SEESAY_SOURCE_DIR "/tests/metrics/";

std::string join(const Sentence& tokens) {
    std::string text;
    for (const std::string& token : tokens)
        text += (text.empty() ? "" : " ") + token;
    return text;
}

class Golden : public ::testing::Test {
 protected:
    Golden() : captions_(read_captions(kFolder + "captions.tsv")) {
        std::ifstream stream(kFolder + "goldens.json");
        golden_ = nlohmann::json::parse(stream);
    }

    CaptionScores score() const {
        std::vector<std::string> candidates;
        std::vector<std::vector<std::string>> references;
        for (const auto& entry : captions_.entries()) {
            candidates.push_back(entry.captions.front());
            references.emplace_back(entry.captions.begin() + 1, entry.captions.end());
        }
        return evaluate(candidates, references);
    }

    double corpus(const std::string& metric) const { return golden_["metrics"][metric]; }
    double image(const std::string& metric, std::size_t i) const {
        return golden_["images"][metric][i];
    }

    CaptionFile captions_;
    nlohmann::json golden_;
};

constexpr double kTolerance = 1e-9;

TEST_F(Golden, TokensEqualTheJavaTokenisers) {
    std::vector<std::string> lines;
    for (const auto& entry : captions_.entries())
        lines.insert(lines.end(), entry.captions.begin(), entry.captions.end());
    const auto tokens = PtbTokenizer().words_of_lines(lines);
    ASSERT_EQ(tokens.size(), golden_["tokens"].size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        EXPECT_EQ(join(tokens[i]), golden_["tokens"][i].get<std::string>()) << lines[i];
}

TEST_F(Golden, CorpusMetricsEqualPycocoevalcaps) {
    const CaptionScores scores = score();
    for (std::size_t n = 0; n < 4; ++n)
        EXPECT_NEAR(scores.bleu[n], corpus("BLEU-" + std::to_string(n + 1)), kTolerance);
    EXPECT_NEAR(scores.rouge_l, corpus("ROUGE-L"), kTolerance);
    EXPECT_NEAR(scores.cider_d, corpus("CIDEr-D"), kTolerance);
}

TEST_F(Golden, ImageMetricsEqualPycocoevalcaps) {
    const CaptionScores scores = score();
    ASSERT_EQ(scores.images.size(), golden_["images"]["BLEU-1"].size());
    for (std::size_t i = 0; i < scores.images.size(); ++i) {
        SCOPED_TRACE(captions_.entries()[i].image);
        for (std::size_t n = 0; n < 4; ++n)
            EXPECT_NEAR(scores.images[i].bleu[n], image("BLEU-" + std::to_string(n + 1), i),
                        kTolerance);
        EXPECT_NEAR(scores.images[i].rouge_l, image("ROUGE-L", i), kTolerance);
        EXPECT_NEAR(scores.images[i].cider_d, image("CIDEr-D", i), kTolerance);
    }
}

TEST_F(Golden, CiderEqualsThePapersInNumPy) {
    const CaptionScores scores = score();
    EXPECT_NEAR(scores.cider, corpus("CIDEr"), kTolerance);
    for (std::size_t i = 0; i < scores.images.size(); ++i)
        EXPECT_NEAR(scores.images[i].cider, image("CIDEr", i), kTolerance);
}

TEST_F(Golden, ReferencesTokenisedOnceGiveTheSameScores) {
    std::vector<std::vector<std::string>> references;
    std::vector<std::string> candidates;
    for (const auto& entry : captions_.entries()) {
        candidates.push_back(entry.captions.front());
        references.emplace_back(entry.captions.begin() + 1, entry.captions.end());
    }
    const ReferenceSet set(references);
    EXPECT_EQ(set.score(candidates).cider_d, score().cider_d);
    EXPECT_EQ(set.score(candidates).cider_d, set.score(candidates).cider_d);
}

TEST(Stemmer, EqualsSnowballs) {
    std::ifstream stream(kFolder + "stems.tsv");
    int words = 0;
    for (std::string line; std::getline(stream, line); ++words) {
        const auto tab = line.find('\t');
        EXPECT_EQ(english_stem(line.substr(0, tab)), line.substr(tab + 1)) << line;
    }
    EXPECT_GT(words, 150);
}

}  // namespace
}  // namespace seesay::metrics
