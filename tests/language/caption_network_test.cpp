// What holds for every captioning network: gradients, teacher forcing against steps, absent
// vectors, and the table of architectures.
#include "models/language/caption_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/error.hpp"
#include "models/language/architectures.hpp"

namespace seesay::language {
namespace {

constexpr std::int64_t kStart = 1, kEnd = 2, kUnknown = 3, kWords = 9, kDimension = 6;

struct Case {
    std::string name;
    std::string architecture;
    nlohmann::json sizes;
    nlohmann::json options;
};

void PrintTo(const Case& which, std::ostream* stream) {
    *stream << which.name;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& architecture : architectures()) {
        for (const auto& flavour : architecture.flavours) {
            Case one{architecture.name + "_" + flavour.name, architecture.name, flavour.sizes,
                     flavour.options};
            std::erase_if(one.name, [](char c) { return c == '-'; });
            for (auto& [key, size] : one.sizes.items()) {
                if (!size.is_null()) {
                    size = 8;
                }
            }
            one.sizes["features"] = kDimension;
            one.sizes["vocabulary"] = kWords;
            if (architecture.name == "transformer") {
                one.sizes["heads"] = 2;
                one.sizes["encoder_layers"] = one.sizes["decoder_layers"] = 2;
            } else {
                one.sizes["embedding"] = 7;  // tied outputs need E = H; these are not tied
            }
            all.push_back(one);
        }
    }
    // What training uses beside the papers' flavours.
    all.push_back({"showattendtell_projected",
                   "show-attend-tell",
                   {{"features", kDimension},
                    {"projection", 5},
                    {"attention", 4},
                    {"hidden", 8},
                    {"embedding", 7},
                    {"vocabulary", kWords}},
                   {{"tied_output", true}, {"projection_norm", true}}});
    all.push_back(
        {"nic_tied",
         "nic",
         {{"features", kDimension}, {"embedding", 8}, {"hidden", 8}, {"vocabulary", kWords}},
         {{"tied_output", true}}});
    return all;
}

std::shared_ptr<CaptionNetwork> network_of(const Case& which, const NetworkDropout& dropout = {}) {
    torch::manual_seed(7);
    auto network = make_network(which.architecture, which.sizes, which.options, "test", dropout,
                                kUnknown, Initialisation::Random);
    network->to(at::kDouble);
    const torch::NoGradGuard no_gradient;
    for (auto& parameter : network->parameters()) {
        parameter.add_(torch::randn_like(parameter) * 0.3);
    }
    return network;
}

PackedCaptions captions() {
    return pack_captions({{4, 5, 6, 7}, {5}, {8, 4, 3}}, {0, 1, 1}, kStart, kEnd, 10);
}

PictureVectors pictures() {
    torch::manual_seed(3);
    return {torch::randn({2, 5, kDimension}, at::kDouble), {}};
}

at::Tensor loss_of(CaptionNetwork& network, const PictureVectors& vectors) {
    const auto packed = captions();
    const auto forced = network.forward(vectors, packed);
    at::Tensor loss =
        -at::log_softmax(forced.logits, 1).gather(1, packed.targets.unsqueeze(1)).mean();
    if (forced.attention.defined()) {
        loss = loss + 0.3 * doubly_stochastic_term(forced.attention, packed);
    }
    return loss;
}

class EveryNetwork : public testing::TestWithParam<Case> {};

TEST_P(EveryNetwork, GradientIsThatOfTheLoss) {
    const auto network = network_of(GetParam());
    network->eval();
    const auto vectors = pictures();
    loss_of(*network, vectors).backward();
    torch::manual_seed(11);
    for (auto& item : network->named_parameters()) {
        at::Tensor parameter = item.value();
        const at::Tensor direction = torch::randn_like(parameter);
        const double expected =
            parameter.grad().defined() ? (parameter.grad() * direction).sum().item<double>() : 0;
        const torch::NoGradGuard no_gradient;
        constexpr double kStep = 1e-5;
        parameter.add_(direction, kStep);
        const double above = loss_of(*network, vectors).item<double>();
        parameter.sub_(direction, 2 * kStep);
        const double below = loss_of(*network, vectors).item<double>();
        parameter.add_(direction, kStep);
        const double found = (above - below) / (2 * kStep);
        EXPECT_NEAR(found, expected, 1e-6 * std::max(std::abs(expected), 1e-2)) << item.key();
    }
}

TEST_P(EveryNetwork, TeacherForcingIsStepAfterStep) {
    const auto network = network_of(GetParam());
    network->eval();
    const torch::NoGradGuard no_gradient;
    const auto packed = captions();
    const auto forced = network->forward(pictures(), packed);
    CaptionNetwork::Tensors rows;
    for (const auto& prepared : network->prepare(pictures())) {
        rows.push_back(prepared.index_select(0, packed.pictures));
    }
    auto state = network->start(rows);
    std::int64_t offset = 0;
    for (const std::int64_t count : packed.rows) {
        for (auto* tensors : {&rows, &state}) {
            for (auto& tensor : *tensors) {
                tensor = tensor.narrow(0, 0, count);
            }
        }
        const auto step = network->step(rows, state, packed.inputs.narrow(0, offset, count));
        EXPECT_TRUE(at::allclose(step.logits, forced.logits.narrow(0, offset, count), 1e-9, 1e-9));
        if (network->attends()) {
            EXPECT_TRUE(at::allclose(step.attention, forced.attention.narrow(0, offset, count),
                                     1e-9, 1e-9));
            EXPECT_TRUE(at::allclose(step.attention.sum(1), at::ones({count}, at::kDouble)));
        } else {
            EXPECT_FALSE(step.attention.defined());
        }
        offset += count;
    }
}

TEST_P(EveryNetwork, AbsentVectorsChangeNothing) {
    const auto network = network_of(GetParam());
    network->eval();
    const torch::NoGradGuard no_gradient;
    const auto packed = captions();
    PictureVectors few = pictures();
    few.vectors = few.vectors.narrow(1, 0, 3);
    PictureVectors padded = pictures();
    padded.vectors.narrow(1, 3, 2).fill_(1e3);
    padded.present = at::zeros({2, 5}, at::kBool);
    padded.present.narrow(1, 0, 3).fill_(true);
    const auto expected = network->forward(few, packed);
    const auto found = network->forward(padded, packed);
    EXPECT_TRUE(at::allclose(found.logits, expected.logits, 1e-9, 1e-9));
    if (network->attends()) {
        EXPECT_TRUE(at::allclose(found.attention.narrow(1, 0, 3), expected.attention, 1e-9, 1e-9));
        EXPECT_EQ(found.attention.narrow(1, 3, 2).abs().max().item<double>(), 0);
    }
}

TEST_P(EveryNetwork, StatesItsOwnSizesAndOptions) {
    const auto network = network_of(GetParam());
    const auto again =
        make_network(network->architecture(), network->sizes_json(), network->options_json(),
                     "again", {}, kUnknown, Initialisation::None);
    ASSERT_EQ(again->named_parameters().keys(), network->named_parameters().keys());
    for (const auto& item : network->named_parameters()) {
        EXPECT_EQ(again->named_parameters()[item.key()].sizes(), item.value().sizes());
    }
    EXPECT_EQ(network->vocabulary(), kWords);
    EXPECT_EQ(network->features(), kDimension);
}

TEST_P(EveryNetwork, DropsOnlyWhileTraining) {
    const auto network = network_of(GetParam(), {0.2, 0.3, 0.3, 0.3, 0.2});
    const torch::NoGradGuard no_gradient;
    const auto vectors = pictures();
    network->train();
    const auto once = network->forward(vectors, captions()).logits;
    EXPECT_FALSE(at::allclose(once, network->forward(vectors, captions()).logits));
    network->eval();
    const auto twice = network->forward(vectors, captions()).logits;
    EXPECT_TRUE(at::equal(twice, network->forward(vectors, captions()).logits));
}

TEST_P(EveryNetwork, ScheduledSamplingFeedsItsOwnWords) {
    const auto network = network_of(GetParam());
    network->eval();
    const torch::NoGradGuard no_gradient;
    const auto packed = captions();
    const auto plain = network->forward(pictures(), packed).logits;
    ForcingOptions options;
    options.scheduled_sampling = 1.0;
    const auto own = network->forward(pictures(), packed, options).logits;
    // The first word is always the start; later ones differ with near certainty.
    EXPECT_TRUE(at::allclose(own.narrow(0, 0, 3), plain.narrow(0, 0, 3), 1e-9, 1e-9));
    EXPECT_FALSE(at::allclose(own, plain, 1e-9, 1e-9));
}

INSTANTIATE_TEST_SUITE_P(Flavours, EveryNetwork, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

// At the sizes of papers and checkpoints; the counts that their authors' networks have.
TEST(Architectures, CountTheirParameters) {
    std::map<std::string, std::int64_t> counts;
    for (const auto& architecture : architectures()) {
        for (const auto& flavour : architecture.flavours) {
            counts[architecture.name + "/" + flavour.name] =
                parameter_count(architecture.name, flavour);
        }
    }
    // The public network has a second bias in each LSTM cell (2·4·1000).
    EXPECT_EQ(counts["up-down/ruotianluo"], 52'125'025 - 8'000);
    EXPECT_EQ(counts["show-attend-tell/sgrvinod"], 20'483'859 - 2'048 - 512);
    EXPECT_EQ(counts["transformer/ruotianluo"], 54'914'832);
    EXPECT_EQ(counts["nic/ruotianluo"], 13'400'848);
}

TEST(Architectures, RefuseWhatTheyDoNotKnow) {
    const auto error = [](const std::string& architecture, nlohmann::json sizes,
                          nlohmann::json options) -> std::string {
        try {
            make_network(architecture, sizes, options, "model.json", {}, 0, Initialisation::None);
            return {};
        } catch (const Error& found) {
            return found.what();
        }
    };
    const nlohmann::json sizes{{"features", 6}, {"embedding", 8}, {"hidden", 8}, {"vocabulary", 9}};
    EXPECT_THAT(error("nick", sizes, nullptr), testing::HasSubstr("known are nic, "));
    EXPECT_EQ(error("nic", sizes, nullptr), "");
    EXPECT_THAT(error("nic", sizes, {{"celll", "lstm"}}),
                testing::HasSubstr("\"options.celll\" is not known"));
    EXPECT_THAT(error("nic", {{"features", 6}}, nullptr), testing::HasSubstr("sizes.embedding"));
    nlohmann::json more = sizes;
    more["width"] = 3;
    EXPECT_THAT(error("nic", more, nullptr), testing::HasSubstr("sizes.width"));
    more = sizes;
    more["hidden"] = 0;
    EXPECT_THAT(error("nic", more, nullptr), testing::HasSubstr("sizes.hidden"));
    more["hidden"] = 7;
    EXPECT_THAT(error("nic", more, {{"tied_output", true}}), testing::HasSubstr("tied_output"));
    EXPECT_THAT(error("transformer",
                      {{"features", 6},
                       {"width", 10},
                       {"heads", 4},
                       {"feed_forward", 8},
                       {"encoder_layers", 1},
                       {"decoder_layers", 1},
                       {"vocabulary", 9}},
                      nullptr),
                testing::HasSubstr("multiple of"));
}

}  // namespace
}  // namespace seesay::language
