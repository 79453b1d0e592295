// Rewards, baselines, and the gradient of the expected reward.
#include "models/training/self_critical.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>

#include "models/error.hpp"
#include "models/language/show_attend_tell.hpp"
#include "models/metrics/bleu.hpp"
#include "tests/language/table_captioner.hpp"

namespace seesay::training {
namespace {

using language::Sentence;
using T = language::TableCaptioner;

CaptionedPicture picture(std::vector<std::vector<std::string>> words) {
    CaptionedPicture result;
    result.words = std::move(words);
    return result;
}

std::vector<CaptionedPicture> pictures() {
    return {picture({{"a", "b", "c"}, {"a", "b", "d"}}), picture({{"b", "c"}, {"e", "zebra"}}),
            picture({{"f", "a", "b"}})};
}

Sentence said(std::vector<int> tokens, bool complete = true) {
    Sentence sentence;
    sentence.tokens = std::move(tokens);
    sentence.complete = complete;
    return sentence;
}

const T::Table kAny{{T::kStart, {{T::kA, 1.F}}}};

TEST(CaptionReward, IsCiderDWithTheEndAsAWord) {
    const T captioner(kAny);
    const auto data = pictures();
    const CaptionReward reward(data, captioner.vocabulary(), {});
    std::vector<std::vector<metrics::Sentence>> references;
    for (const auto& item : data) {
        references.push_back(item.words);
        for (auto& reference : references.back()) {
            reference.emplace_back("<end>");
        }
    }
    const auto expected =
        metrics::cider_d({{"a", "b", "c", "<end>"}, {"b", "<end>"}, {"f", "a"}}, references);
    EXPECT_NEAR(reward.score(0, said({T::kA, T::kB, T::kC})), expected.images[0], 1e-12);
    EXPECT_NEAR(reward.score(1, said({T::kB})), expected.images[1], 1e-12);
    EXPECT_NEAR(reward.score(2, said({T::kF, T::kA}, false)), expected.images[2], 1e-12);
    EXPECT_GT(expected.images[0], 1);
}

TEST(CaptionReward, BreakingOffIsWorseThanEnding) {
    const T captioner(kAny);
    const CaptionReward reward(pictures(), captioner.vocabulary(), {});
    EXPECT_LT(reward.score(2, said({T::kF, T::kA, T::kB}, false)),
              reward.score(2, said({T::kF, T::kA, T::kB})));
    EXPECT_LT(reward.score(0, said({T::kA, T::kB})), reward.score(0, said({T::kA, T::kB, T::kC})));
}

TEST(CaptionReward, UnknownWordsMatchNothing) {
    const T captioner(kAny);
    const CaptionReward reward(pictures(), captioner.vocabulary(), {});
    // "zebra" is not in the vocabulary: saying <unk> must not count as having said it.
    EXPECT_DOUBLE_EQ(reward.score(1, said({T::kE, T::kUnknown})),
                     reward.score(1, said({T::kE, T::kD})));  // as rare, and not there either
}

TEST(CaptionReward, AddsWeightedBleu) {
    const T captioner(kAny);
    SelfCriticalOptions options;
    options.cider_d = 0;
    options.bleu_4 = 2;
    const CaptionReward reward(pictures(), captioner.vocabulary(), options);
    const auto bleu = metrics::bleu({{"a", "b", "c", "<end>"}},
                                    {{{"a", "b", "c", "<end>"}, {"a", "b", "d", "<end>"}}});
    EXPECT_DOUBLE_EQ(reward.score(0, said({T::kA, T::kB, T::kC})), 2 * bleu.images[0][3]);
}

std::vector<vision::FeatureSet> blank_features(int count) {
    vision::FeatureSet one;
    one.count = 1;
    one.dimension = 1;
    one.vectors = {0.F};
    return std::vector<vision::FeatureSet>(static_cast<std::size_t>(count), one);
}

/// a or b with equal probability, then the end.
const T::Table kCoin{{T::kStart, {{T::kA, 5.F}, {T::kB, 5.F}}},
                     {T::kA, {{T::kEnd, 9.F}}},
                     {T::kB, {{T::kEnd, 9.F}}}};

TEST(DrawCaptions, TheOtherSamplesAreTheBaseline) {
    const T captioner(kCoin);
    const CaptionReward reward(pictures(), captioner.vocabulary(), {});
    SelfCriticalOptions options;
    options.samples = 4;
    const auto drawn = draw_captions(captioner, blank_features(2), {2, 0}, reward, options, 5, 3);
    ASSERT_EQ(drawn.captions.size(), 8U);
    EXPECT_EQ(drawn.pictures, (std::vector<std::int64_t>{0, 0, 0, 0, 1, 1, 1, 1}));
    for (std::size_t first : {0U, 4U}) {
        double sum = 0;
        for (std::size_t i = first; i < first + 4; ++i) {
            sum += drawn.advantages[i];
            double others = 0;
            const std::size_t which = first == 0 ? 2 : 0;
            for (std::size_t j = first; j < first + 4; ++j) {
                if (j != i) {
                    others += reward.score(which, said({static_cast<int>(drawn.captions[j][0])}));
                }
            }
            EXPECT_NEAR(
                drawn.advantages[i],
                reward.score(which, said({static_cast<int>(drawn.captions[i][0])})) - others / 3,
                1e-12);
        }
        EXPECT_NEAR(sum, 0, 1e-12);
    }
    EXPECT_NEAR(drawn.mean_reward, drawn.mean_baseline, 1e-12);
}

TEST(DrawCaptions, TheGreedyCaptionIsTheBaselineIfAsked) {
    const T captioner(kCoin);
    const CaptionReward reward(pictures(), captioner.vocabulary(), {});
    SelfCriticalOptions options;
    options.samples = 3;
    options.baseline = Baseline::Greedy;
    const auto drawn = draw_captions(captioner, blank_features(1), {2}, reward, options, 5, 4);
    ASSERT_EQ(drawn.captions.size(), 3U);
    const double greedy = reward.score(2, said({T::kA}));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(drawn.advantages[i],
                    reward.score(2, said({static_cast<int>(drawn.captions[i][0])})) - greedy,
                    1e-12);
    }
}

TEST(DrawCaptions, ACaptionThatDoesNotEndIsCutByPacking) {
    const T captioner(T::Table{{T::kStart, {{T::kA, 30.F}}}, {T::kA, {{T::kA, 30.F}}}});
    const CaptionReward reward(pictures(), captioner.vocabulary(), {});
    const auto drawn = draw_captions(captioner, blank_features(1), {0}, reward, {}, 3, 1);
    const auto packed =
        language::pack_captions(drawn.captions, drawn.pictures, T::kStart, T::kEnd, 3);
    EXPECT_EQ(packed.rows, (std::vector<std::int64_t>{5, 5, 5}));
    EXPECT_FALSE((packed.targets == static_cast<int>(T::kEnd)).any().item<bool>());
}

TEST(SelfCriticalOptions, AreChecked) {
    SelfCriticalOptions options;
    options.samples = 1;
    EXPECT_THROW(check(options), Error);
    options.baseline = Baseline::Greedy;
    EXPECT_NO_THROW(check(options));
    options.cider_d = 0;
    EXPECT_THROW(check(options), Error);
    options.bleu_4 = -1;
    EXPECT_THROW(check(options), Error);
}

// On an instance with 2 places, at most 2 words and a vocabulary of 6, every caption is enumerated:
// the expectation of the surrogate's gradient is the gradient of the expected reward.
TEST(SelfCriticalLoss, ExpectedGradientIsTheGradientOfTheExpectation) {
    torch::manual_seed(5);
    language::ShowAttendTellSizes sizes;
    sizes.features = 3;
    sizes.projection = 4;
    sizes.attention = 3;
    sizes.hidden = 5;
    sizes.embedding = 4;
    sizes.vocabulary = 6;
    const auto network =
        std::make_shared<language::ShowAttendTell>(sizes, language::NetworkDropout{}, 3);
    network->to(at::kDouble);
    network->eval();
    const at::Tensor features = torch::randn({1, 2, 3}, at::kDouble);
    constexpr std::int64_t kStart = 1, kEnd = 2, kMaximum = 2;

    // As for_packing leaves them: whole sentences of up to two words, and cut ones of three.
    std::vector<std::vector<std::int64_t>> sentences{{}};
    for (std::int64_t a = 0; a < 6; ++a) {
        if (a == kEnd) {
            continue;
        }
        sentences.push_back({a});
        for (std::int64_t b = 0; b < 6; ++b) {
            if (b == kEnd) {
                continue;
            }
            sentences.push_back({a, b});
            sentences.push_back({a, b, kEnd});
        }
    }
    // A sentence of two words is either ended or not; what is cut has the probability of its words.
    std::erase_if(sentences, [](const auto& s) { return s.size() == 2; });
    const auto reward = [](const std::vector<std::int64_t>& sentence) {
        double sum = 0.3;
        for (const auto word : sentence) {
            sum = 0.7 * sum + static_cast<double>(word * word);
        }
        return sum;
    };
    const auto log_probabilities = [&](const std::vector<std::int64_t>& sentence,
                                       language::PackedCaptions& packed) {
        packed = language::pack_captions({sentence}, {0}, kStart, kEnd, kMaximum);
        return at::log_softmax(network->forward({features, {}}, packed).logits, 1);
    };

    const auto parameters = network->parameters();
    const auto gradient_of = [&](const std::function<at::Tensor()>& loss) {
        network->zero_grad();
        loss().backward();
        std::vector<at::Tensor> gradients;
        for (const auto& parameter : parameters) {
            gradients.push_back(parameter.grad().defined() ? parameter.grad().flatten().clone()
                                                           : at::zeros_like(parameter).flatten());
        }
        return at::cat(gradients);
    };

    double mass = 0;
    const at::Tensor exact = gradient_of([&] {
        at::Tensor expectation = at::zeros({}, at::kDouble);
        for (const auto& sentence : sentences) {
            language::PackedCaptions packed;
            const auto log_p =
                log_probabilities(sentence, packed).gather(1, packed.targets.unsqueeze(1)).sum();
            mass += log_p.exp().item<double>();
            expectation = expectation - log_p.exp() * reward(sentence);
        }
        return expectation;
    });
    EXPECT_NEAR(mass, 1, 1e-12);

    constexpr double kBaseline = 4.2;  // any constant leaves the expectation as it is
    const at::Tensor estimated = gradient_of([&] {
        at::Tensor sum = at::zeros({}, at::kDouble);
        for (const auto& sentence : sentences) {
            language::PackedCaptions packed;
            const auto log_p = log_probabilities(sentence, packed);
            const double probability =
                log_p.gather(1, packed.targets.unsqueeze(1)).sum().exp().item<double>();
            sum = sum +
                  probability * self_critical_loss(log_p, packed, {reward(sentence) - kBaseline});
        }
        return sum;
    });
    const double error = (exact - estimated).abs().max().item<double>();
    EXPECT_LT(error, 1e-10 * exact.abs().max().item<double>());
    EXPECT_GT(exact.abs().max().item<double>(), 1e-3);
}

TEST(SelfCriticalLoss, AdvantagesFollowTheirCaptionsThroughSorting) {
    const auto packed = language::pack_captions({{4}, {4, 5, 6}}, {0, 0}, 1, 2, 5);
    const at::Tensor log_probabilities =
        torch::log_softmax(torch::randn({packed.targets.size(0), 8}, at::kDouble), 1);
    const at::Tensor chosen = log_probabilities.gather(1, packed.targets.unsqueeze(1)).squeeze(1);
    const at::Tensor of_long = chosen.masked_select(packed.caption == 0).sum();
    const at::Tensor of_short = chosen.masked_select(packed.caption == 1).sum();
    const double loss = self_critical_loss(log_probabilities, packed, {10, -1}).item<double>();
    EXPECT_NEAR(loss, -(10 * of_short - of_long).item<double>() / 2, 1e-12);
}

}  // namespace
}  // namespace seesay::training
