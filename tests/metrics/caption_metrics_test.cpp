// BLEU, ROUGE-L and CIDEr-D on sentences that are tokens already.
#include <gtest/gtest.h>

#include <sstream>

#include "models/error.hpp"
#include "models/metrics/bleu.hpp"
#include "models/metrics/caption_scores.hpp"
#include "models/metrics/cider.hpp"
#include "models/metrics/cider_d.hpp"
#include "models/metrics/rouge_l.hpp"

namespace seesay::metrics {
namespace {

Sentence words(const std::string& text) {
    std::istringstream stream(text);
    Sentence result;
    for (std::string word; stream >> word;)
        result.push_back(word);
    return result;
}

/// The two pictures of the verified sample; its values come from pycocoevalcap 1.2.
struct Sample {
    std::vector<Sentence> candidates{words("a man rides a horse"), words("two dogs in snow")};
    std::vector<std::vector<Sentence>> references{
        {words("a man riding a horse"), words("a person rides a brown horse")},
        {words("two dogs play in the snow"), words("a pair of dogs playing outside")}};
};

TEST(Bleu, EqualsCocoCaptionOnTwoPictures) {
    const Sample sample;
    const Bleu scores = bleu(sample.candidates, sample.references).corpus;
    EXPECT_NEAR(scores[0], .8007374027, 1e-9);
    EXPECT_NEAR(scores[1], .6053005809, 1e-9);
    EXPECT_NEAR(scores[2], 3.88586e-06, 1e-10);
    EXPECT_NEAR(scores[3], 1.11868e-08, 1e-12);
}

TEST(Bleu, IsOneForTheReferenceItself) {
    const BleuScores scores =
        bleu({words("a dog runs on the beach")}, {{words("a dog runs on the beach")}});
    for (const double score : scores.corpus)
        EXPECT_NEAR(score, 1.0, 1e-8);
}

TEST(Bleu, IsZeroAndFiniteForAnEmptyCandidate) {
    const BleuScores scores = bleu({{}}, {{words("a dog")}});
    for (const double score : scores.corpus)
        EXPECT_EQ(score, 0.0);
}

TEST(Bleu, TakesTheShorterOfTwoEquallyCloseReferences) {
    // Lengths 4 and 6 around a candidate of 5: with 4 there is no brevity penalty.
    const BleuScores scores =
        bleu({words("a b c d e")}, {{words("a b c d e f"), words("a b c d")}});
    EXPECT_NEAR(scores.corpus[0], 1.0, 1e-8);
}

TEST(RougeL, EqualsCocoCaptionOnTwoPictures) {
    const Sample sample;
    EXPECT_NEAR(rouge_l(sample.candidates, sample.references).corpus, .7860759494, 1e-9);
}

TEST(RougeL, IsZeroWithoutACommonWord) {
    EXPECT_EQ(rouge_l({words("a b")}, {{words("c d")}}).corpus, 0.0);
}

TEST(CiderD, EqualsCocoCaptionOnTwoPictures) {
    const Sample sample;
    EXPECT_NEAR(cider_d(sample.candidates, sample.references).corpus, 1.9904484691, 1e-9);
}

TEST(CiderD, IsZeroForOnePicture) {
    EXPECT_EQ(cider_d({words("a dog")}, {{words("a dog")}}).corpus, 0.0);
}

TEST(CiderD, WithFixedFrequenciesEqualsTheCorpusValue) {
    const Sample sample;
    CiderD metric(sample.references);
    const CiderScores corpus = cider_d(sample.candidates, sample.references);
    for (std::size_t i = 0; i < sample.candidates.size(); ++i)
        EXPECT_DOUBLE_EQ(metric.score(sample.candidates[i], metric.prepare(sample.references[i])),
                         corpus.images[i]);
}

TEST(CiderD, KnowsReferenceWordsThatTheFrequenciesLack) {
    const Sample sample;
    CiderD metric(sample.references);
    const auto references = metric.prepare({words("zebra quagga")});
    EXPECT_NEAR(metric.score(words("zebra quagga"), references), 10 * 2 / 4.0, 1e-9);
    EXPECT_EQ(metric.score(words("okapi gnu"), references), 0.0);
}

TEST(CiderD, FixedFrequenciesScoreOneSentenceWithoutOtherPictures) {
    const Sample sample;
    CiderD metric(sample.references);
    const auto references = metric.prepare(sample.references[0]);
    EXPECT_GT(metric.score(sample.references[0][0], references),
              metric.score(sample.candidates[0], references));
}

TEST(Corpus, RefusesMismatchedSizesAndMissingReferences) {
    EXPECT_THROW(bleu({words("a")}, {}), Error);
    EXPECT_THROW(bleu({}, {}), Error);
    EXPECT_THROW(rouge_l({words("a")}, {{}}), Error);
    EXPECT_THROW(cider_d({words("a")}, {{}}), Error);
    EXPECT_THROW(cider({words("a")}, {{}}), Error);
}

TEST(SplitWords, SplitsAtWhiteSpaceInsideATokenOnly) {
    EXPECT_EQ(split_words({"1\u00A01/2", "", "dog\u3000cat", "a"}),
              (Sentence{"1", "1/2", "dog", "cat", "a"}));
}

}  // namespace
}  // namespace seesay::metrics
