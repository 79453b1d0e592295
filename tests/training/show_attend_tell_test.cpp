// The trainable network against the inference one, and the packing of captions.
#include "models/language/show_attend_tell.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::language {
namespace {

TEST(PackCaptions, SortsByLengthAndPacksByStep) {
    const auto packed = pack_captions({{5}, {6, 7, 8}}, {0, 1}, 1, 2, 10);
    EXPECT_EQ(packed.rows, (std::vector<std::int64_t>{2, 2, 1, 1}));
    EXPECT_TRUE(torch::equal(packed.inputs, torch::tensor({1, 1, 6, 5, 7, 8}, torch::kInt64)));
    EXPECT_TRUE(torch::equal(packed.targets, torch::tensor({6, 5, 7, 2, 8, 2}, torch::kInt64)));
    EXPECT_TRUE(torch::equal(packed.caption, torch::tensor({0, 1, 0, 1, 0, 0}, torch::kInt64)));
    EXPECT_TRUE(torch::equal(packed.pictures, torch::tensor({1, 0}, torch::kInt64)));
}

TEST(PackCaptions, ACutCaptionHasNoEnd) {
    const auto packed = pack_captions({{5, 6, 7}}, {0}, 1, 2, 2);
    EXPECT_TRUE(torch::equal(packed.targets, torch::tensor({5, 6}, torch::kInt64)));
}

TEST(DoublyStochasticTerm, IsTheSumOverPlacesAndTheMeanOverCaptions) {
    const auto packed = pack_captions({{5}, {5}}, {0, 0}, 1, 2, 10);
    // Caption 0 looks at place 0 twice, caption 1 at each place once.
    const at::Tensor attention =
        torch::tensor({{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}, torch::kFloat64);
    // Σ (1 − [2, 0])² = 2 for the first, 0 for the second.
    EXPECT_NEAR(doubly_stochastic_term(attention, packed).item<double>(), 1.0, 1e-12);
}

class BothNetworks : public ::testing::TestWithParam<std::tuple<int, bool, bool, bool>> {};

TEST_P(BothNetworks, GiveTheSameLogProbabilities) {
    const auto [projection, norm, tied, tanh] = GetParam();
    ShowAttendTellSizes sizes;
    sizes.features = 6;
    sizes.projection = projection;
    sizes.attention = 5;
    sizes.hidden = 9;
    sizes.embedding = 7;
    sizes.vocabulary = 8;
    sizes.projection_norm = norm;
    sizes.tied_output = tied;
    sizes.tanh_output = tanh;
    torch::manual_seed(3);
    const auto network = std::make_shared<ShowAttendTell>(sizes, NetworkDropout{}, 3);
    network->eval();
    const torch::NoGradGuard no_gradient;
    for (auto& parameter : network->parameters()) {
        parameter.copy_(torch::randn_like(parameter) * 0.7);
    }

    CaptionerParts parts{
        "the network in training",
        "show-attend-tell",
        network->sizes_json(),
        network->options_json(),
        {},
        Vocabulary::from_tokens("en", {"<pad>", "<start>", "<end>", "<unk>", "a", "b", "c", "d"}),
        {},
        {"test", "", "encoder", ""}};
    for (const auto& item : network->named_parameters()) {
        parts.tensors.emplace(item.key(), weights::from_tensor(item.key(), item.value().detach(),
                                                               weights::DataType::F32));
    }
    const auto captioner = make_captioner(parts);

    const at::Tensor features = torch::randn({1, 4, 6});
    vision::FeatureSet set;
    set.count = 4;
    set.dimension = 6;
    set.vectors.assign(features.data_ptr<float>(), features.data_ptr<float>() + 24);
    set.geometry.rows = set.geometry.columns = 2;
    const Sentence sentence = score(*captioner, set, {4, 6, 5}, 0.0);

    const auto packed = pack_captions({{4, 6, 5}}, {0}, 1, 2, 10);
    const auto output = network->forward({features, {}}, packed);
    const at::Tensor expected =
        torch::log_softmax(output.logits, 1).gather(1, packed.targets.unsqueeze(1));
    for (int t = 0; t < 3; ++t) {
        EXPECT_NEAR(sentence.log_probabilities[t], expected[t][0].item<float>(), 1e-4);
        for (int i = 0; i < 4; ++i) {
            EXPECT_NEAR(sentence.attention[t * 4 + i], output.attention[t][i].item<float>(), 1e-5);
        }
    }
    EXPECT_NEAR(sentence.end_log_probability, expected[3][0].item<float>(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Options, BothNetworks,
                         ::testing::Values(std::tuple{5, true, true, false},
                                           std::tuple{5, false, false, true},
                                           std::tuple{0, false, true, true},
                                           std::tuple{0, false, false, false}));

}  // namespace
}  // namespace seesay::language
