// REINFORCE for places: the surrogate's gradient, and its expectation over all places.
#include "models/training/hard_attention.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>

#include "models/error.hpp"
#include "models/language/show_attend_tell.hpp"

namespace seesay::training {
namespace {

constexpr std::int64_t kStart = 1, kEnd = 2, kUnknown = 3;

std::shared_ptr<language::ShowAttendTell> tiny_network() {
    torch::manual_seed(5);
    language::ShowAttendTellSizes sizes;
    sizes.features = 3;
    sizes.projection = 4;
    sizes.attention = 3;
    sizes.hidden = 5;
    sizes.embedding = 4;
    sizes.vocabulary = 7;
    auto network =
        std::make_shared<language::ShowAttendTell>(sizes, language::NetworkDropout{}, kUnknown);
    network->to(at::kDouble);
    network->eval();
    const torch::NoGradGuard no_gradient;
    for (auto& parameter : network->parameters()) {
        parameter.add_(torch::randn_like(parameter) * 0.4);
    }
    return network;
}

at::Tensor gradient_of(language::CaptionNetwork& network, const std::function<at::Tensor()>& loss) {
    network.zero_grad();
    loss().backward();
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : network.parameters()) {
        gradients.push_back(parameter.grad().defined() ? parameter.grad().flatten().clone()
                                                       : at::zeros_like(parameter).flatten());
    }
    return at::cat(gradients);
}

at::Tensor of_words(const language::TeacherForcing& forced,
                    const language::PackedCaptions& packed) {
    return at::log_softmax(forced.logits, 1).gather(1, packed.targets.unsqueeze(1)).squeeze(1);
}

// 2 places, 2 steps: all 4 ways to look are enumerated. The expectation of the surrogate's gradient
// is the gradient of the expected negative log-probability of the caption.
TEST(HardAttentionLoss, ExpectedGradientIsTheGradientOfTheExpectation) {
    const auto network = tiny_network();
    const at::Tensor features = torch::randn({1, 2, 3}, at::kDouble);
    const auto packed = language::pack_captions({{4}}, {0}, kStart, kEnd, 5);  // a word and the end
    HardAttentionOptions options;
    options.drawn = 1;
    options.reinforce = 1;
    options.entropy = 0;
    options.per_word = false;
    const auto forced_at = [&](int first, int second) {
        language::ForcingOptions forcing;
        forcing.places = torch::tensor(std::vector<std::int64_t>{first, second}, at::kLong);
        return network->forward({features, {}}, packed, forcing);
    };
    const auto log_probability_of_places = [](const language::TeacherForcing& forced) {
        return at::log(forced.attention.gather(1, forced.places.unsqueeze(1))).sum();
    };
    double mass = 0;
    const at::Tensor exact = gradient_of(*network, [&] {
        at::Tensor sum = at::zeros({}, at::kDouble);
        for (const int place : {0, 1, 2, 3}) {
            const auto forced = forced_at(place / 2, place % 2);
            const at::Tensor p = log_probability_of_places(forced).exp();
            mass += p.item<double>();
            sum = sum - p * of_words(forced, packed).sum();
        }
        return sum;
    });
    EXPECT_NEAR(mass, 1, 1e-12);
    const at::Tensor estimated = gradient_of(*network, [&] {
        at::Tensor sum = at::zeros({}, at::kDouble);
        for (const int place : {0, 1, 2, 3}) {
            const auto forced = forced_at(place / 2, place % 2);
            const double p = log_probability_of_places(forced).exp().item<double>();
            const at::Tensor words = of_words(forced, packed);
            // The loss is a mean over words; any baseline leaves the expectation as it is.
            const auto hard = hard_attention_loss(words, forced, packed, -3.1, options);
            sum = sum + p * static_cast<double>(words.size(0)) * (hard.loss - words.mean());
        }
        return sum;
    });
    EXPECT_LT((exact - estimated).abs().max().item<double>(),
              1e-10 * exact.abs().max().item<double>());
    EXPECT_GT(exact.abs().max().item<double>(), 1e-3);
}

TEST(HardAttentionLoss, WithFrozenPlacesItsGradientIsThatOfTheSurrogate) {
    const auto network = tiny_network();
    const at::Tensor features = torch::randn({2, 3, 3}, at::kDouble);
    const auto packed = language::pack_captions({{4, 5}, {6}}, {0, 1}, kStart, kEnd, 5);
    language::ForcingOptions forcing;
    forcing.places = torch::tensor(std::vector<std::int64_t>{2, -1, 0, -1, 1}, at::kLong);
    HardAttentionOptions options;
    options.drawn = 0.5;
    options.entropy = 0.05;
    at::Tensor rewards;  // frozen as well
    const auto loss_of = [&] {
        const auto forced = network->forward({features, {}}, packed, forcing);
        const at::Tensor words = of_words(forced, packed);
        if (!rewards.defined()) {
            rewards = words.detach().clone();
        }
        return hard_attention_loss(rewards, forced, packed, -2.0, options).loss - words.mean();
    };
    const at::Tensor gradient = gradient_of(*network, loss_of);
    torch::manual_seed(2);
    std::int64_t offset = 0;
    for (auto& parameter : network->parameters()) {
        const at::Tensor direction = torch::randn_like(parameter);
        const double expected =
            (gradient.narrow(0, offset, parameter.numel()) * direction.flatten())
                .sum()
                .item<double>();
        offset += parameter.numel();
        const torch::NoGradGuard no_gradient;
        parameter.add_(direction, 1e-5);
        const double above = loss_of().item<double>();
        parameter.sub_(direction, 2e-5);
        const double below = loss_of().item<double>();
        parameter.add_(direction, 1e-5);
        EXPECT_NEAR((above - below) / 2e-5, expected, 1e-6 * std::max(std::abs(expected), 1e-2));
    }
}

TEST(HardAttentionLoss, TheBaselineFollowsTheReward) {
    const auto packed = language::pack_captions({{4, 5}, {6}}, {0, 0}, kStart, kEnd, 5);
    language::TeacherForcing forced;
    forced.attention = at::full({5, 2}, 0.5, at::kDouble);
    forced.places = at::zeros({5}, at::kLong);
    // Caption 0 has steps 0, 2, 4; caption 1 steps 1, 3.
    const at::Tensor words = torch::tensor({-1.0, -2.0, -3.0, -4.0, -5.0}, at::kDouble);
    HardAttentionOptions options;
    options.drawn = 1;
    EXPECT_NEAR(hard_attention_loss(words, forced, packed, -1, options).baseline,
                0.9 * -1 + 0.1 * (-3 + -3) / 2, 1e-12);
    options.per_word = false;
    EXPECT_NEAR(hard_attention_loss(words, forced, packed, -1, options).baseline,
                0.9 * -1 + 0.1 * (-9 + -6) / 2, 1e-12);
    EXPECT_NEAR(hard_attention_loss(words, forced, packed, -1, options).entropy, std::log(2.0),
                1e-12);
}

TEST(HardAttentionLoss, CaptionsThatLookAtTheExpectationGetNoReward) {
    const auto packed = language::pack_captions({{4}}, {0}, kStart, kEnd, 5);
    language::TeacherForcing forced;
    forced.attention = torch::tensor({{0.3, 0.7}, {0.4, 0.6}}, at::kDouble).requires_grad_(true);
    forced.places = at::full({2}, -1, at::kLong);
    HardAttentionOptions options;
    options.entropy = 0;
    const auto hard =
        hard_attention_loss(torch::tensor({-1.0, -2.0}, at::kDouble), forced, packed, 5, options);
    EXPECT_EQ(hard.loss.item<double>(), 0);
}

TEST(DrawnPlaces, AreDrawnForAShareOfTheCaptions) {
    const auto network = tiny_network();
    const at::Tensor features = torch::randn({1, 4, 3}, at::kDouble);
    const std::vector<std::vector<std::int64_t>> sentences(400, {4});
    const auto packed =
        language::pack_captions(sentences, std::vector<std::int64_t>(400, 0), kStart, kEnd, 5);
    language::ForcingOptions forcing;
    forcing.drawn_places = 0.5;
    const torch::NoGradGuard no_gradient;
    const auto forced = network->forward({features, {}}, packed, forcing);
    const auto first = forced.places.narrow(0, 0, 400), second = forced.places.narrow(0, 400, 400);
    EXPECT_TRUE(at::equal(first < 0, second < 0));  // a caption keeps its kind
    const auto drawn = (first >= 0).sum().item<std::int64_t>();
    EXPECT_GT(drawn, 150);
    EXPECT_LT(drawn, 250);
    for (std::int64_t place = 0; place < 4; ++place) {
        const double expected = forced.attention[0][place].item<double>();
        const double found = static_cast<double>((first == place).sum().item<std::int64_t>()) /
                             static_cast<double>(drawn);
        EXPECT_NEAR(found, expected, 0.13);
    }
}

TEST(HardAttentionOptions, AreChecked) {
    HardAttentionOptions options;
    options.drawn = 1.5;
    EXPECT_THROW(check(options), Error);
    options.drawn = 0.5;
    EXPECT_NO_THROW(check(options));
    options.entropy = -1;
    EXPECT_THROW(check(options), Error);
}

}  // namespace
}  // namespace seesay::training
