// Parity of the networks with an independent implementation; golden values by
// make_efficientnet_golden.py.
#include "models/vision/efficientnet_lite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>

#include "models/error.hpp"
#include "models/vision/feature_network.hpp"
#include "models/vision/probe_pictures.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/torch_tensor.hpp"
#include "tests/vision/seeded_weights.hpp"

namespace seesay::vision {
namespace {

const std::filesystem::path golden_folder = std::filesystem::path(SEESAY_FIXTURES) / "vision";

at::Tensor input_of(const Image& picture) {
    const at::Tensor input = at::empty({1, 3, picture.height, picture.width});
    normalise(picture, Preprocessing{}, input.data_ptr<float>());
    return input;
}

// Mean over all places and the vectors of the first, a middle and the last place: `[4, D]`.
at::Tensor summary(const at::Tensor& features) {
    const at::Tensor flat = features[0].flatten(1).t();
    const std::int64_t count = flat.size(0);
    return at::stack({flat.mean(0), flat[0], flat[count / 2], flat[count - 1]});
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

struct Case {
    const char* golden;
    const char* architecture;
    int height;
    int width;
};

void PrintTo(const Case& value, std::ostream* out) {
    *out << value.golden;
}

class EfficientNetLiteParity : public testing::TestWithParam<Case> {};

TEST_P(EfficientNetLiteParity, MatchesThePythonImplementation) {
    const torch::NoGradGuard no_gradient;
    const Case c = GetParam();
    const auto golden =
        weights::Safetensors::open(golden_folder / "efficientnet_lite_seeded.safetensors");
    EfficientNetLite network(efficientnet_lite_sizes(c.architecture));
    network->load(seeded_file(seeded_tensors(network->sizes())));
    network->eval();
    const at::Tensor features =
        network->forward_features(input_of(probe_pictures(7, 1, c.width, c.height).front()));
    EXPECT_EQ(features.size(2), (c.height + 31) / 32);
    EXPECT_EQ(features.size(3), (c.width + 31) / 32);
    const at::Tensor expected = weights::to_tensor(golden.at(c.golden), at::kFloat);
    EXPECT_LT(largest_difference(summary(features), expected), 2e-4);  // of values up to 6
}

INSTANTIATE_TEST_SUITE_P(, EfficientNetLiteParity,
                         testing::Values(Case{"lite0_224x224", "efficientnet-lite0", 224, 224},
                                         Case{"lite1_97x130", "efficientnet-lite1", 97, 130},
                                         Case{"lite2_224x224", "efficientnet-lite2", 224, 224},
                                         Case{"lite2_75x64", "efficientnet-lite2", 75, 64}),
                         [](const auto& info) { return std::string(info.param.golden); });

TEST(EfficientNetLite, GivesTheFeaturesOfThePublicWeights) {
    const auto folder = std::filesystem::path(SEESAY_SOURCE_DIR) / "models/packages/encoder-lite2";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no package " << folder;
    const torch::NoGradGuard no_gradient;
    const auto package = weights::ModelPackage::open(folder);
    EfficientNetLite network(efficientnet_lite_sizes(package.architecture()));
    network->load(package.tensors());
    network->eval();
    const at::Tensor features =
        network->forward_features(input_of(probe_pictures(1, 1, 224, 224).front()));
    const auto golden =
        weights::Safetensors::open(golden_folder / "efficientnet_lite2_public.safetensors");
    EXPECT_LT(largest_difference(summary(features),
                                 weights::to_tensor(golden.at("features"), at::kFloat)),
              5e-4);
}

TEST(EfficientNetLite, CutsIntoALowerAndAnUpperPart) {
    const torch::NoGradGuard no_gradient;
    EfficientNetLite network(efficientnet_lite_sizes("efficientnet-lite0"));
    network->load(seeded_file(seeded_tensors(network->sizes())));
    network->eval();
    const at::Tensor input = input_of(probe_pictures(2, 1, 64, 64).front());
    const at::Tensor whole = network->forward_features(input);
    const int blocks = static_cast<int>(network->sizes().blocks.size());
    for (const int block : {0, 7, blocks}) {
        EXPECT_TRUE(
            at::equal(network->forward_from(network->forward_until(input, block), block), whole))
            << block;
    }
}

TEST(EfficientNetLite, HasTheSizesOfThePublicNetworks) {
    EXPECT_EQ(efficientnet_lite_sizes("efficientnet-lite0").blocks.size(), 16U);
    EXPECT_EQ(efficientnet_lite_sizes("efficientnet-lite1").blocks.size(), 21U);  // 1-3-3-4-4-5-1
    const auto lite2 = efficientnet_lite_sizes("efficientnet-lite2");
    EXPECT_EQ(lite2.blocks.size(), 21U);
    EXPECT_EQ(lite2.blocks.back().output_channels, 352);
    std::int64_t numbers = 0;
    for (const auto& [name, shape] : efficientnet_lite_tensors(lite2)) {
        std::int64_t count = 1;
        for (const std::int64_t size : shape)
            count *= size;
        numbers += count;
    }
    EXPECT_NEAR(static_cast<double>(numbers), 4.87e6, 0.01e6);
    EXPECT_THROW(efficientnet_lite_sizes("efficientnet-lite9"), Error);
}

TEST(EfficientNetLite, ParametersCarryTheNamesOfTheCheckpoint) {
    EfficientNetLite network(efficientnet_lite_sizes("efficientnet-lite0"));
    std::size_t found = 0;
    for (const auto& [name, shape] : efficientnet_lite_tensors(network->sizes())) {
        found +=
            network->named_parameters().contains(name) || network->named_buffers().contains(name);
    }
    EXPECT_EQ(found, efficientnet_lite_tensors(network->sizes()).size());
    // The only others count batches.
    EXPECT_EQ(network->parameters().size() + network->buffers().size(), found + found / 5);
}

TEST(EfficientNetLite, LearnsThroughEveryParameter) {
    EfficientNetLite network(efficientnet_lite_sizes("efficientnet-lite0"));
    network->load(seeded_file(seeded_tensors(network->sizes())));
    network->train();
    network->forward_features(input_of(probe_pictures(2, 1, 64, 64).front())).sum().backward();
    for (const auto& parameter : network->named_parameters()) {
        ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    }
}

TEST(EfficientNetLite, PadsAsTensorFlowDoes) {
    const auto padding = [](int size, int kernel, int stride) {
        const SamePadding p = same_padding(size, kernel, stride);
        return std::pair(p.before, p.after);
    };
    EXPECT_EQ(padding(224, 3, 2), std::pair(0, 1));
    EXPECT_EQ(padding(225, 3, 2), std::pair(1, 1));
    EXPECT_EQ(padding(56, 5, 2), std::pair(1, 2));
    EXPECT_EQ(padding(7, 5, 1), std::pair(2, 2));
    EXPECT_EQ(padding(7, 1, 1), std::pair(0, 0));
    EXPECT_EQ(padding(1, 3, 2), std::pair(1, 1));
}

}  // namespace
}  // namespace seesay::vision
