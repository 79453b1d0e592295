// The fast paths against eager LibTorch, on packages with seeded weights.
#include "models/vision/grid_encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <torch/torch.h>
#include <cmath>
#include <filesystem>
#include <locale>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "models/vision/efficientnet_lite.hpp"
#include "models/vision/encoder_bench.hpp"
#include "models/vision/onednn_network.hpp"
#include "models/vision/probe_pictures.hpp"
#include "tests/vision/seeded_weights.hpp"

namespace seesay::vision {
namespace {

class GridEncoderTest : public testing::Test {
 protected:
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // An encoder package with seeded weights, for inputs of `width` × `height`.
    weights::ModelPackage package(const std::string& architecture, int width, int height) {
        return write(manifest(architecture, width, height),
                     seeded_tensors(efficientnet_lite_sizes(architecture)));
    }
    static nlohmann::json manifest(const std::string& architecture, int width, int height) {
        return {{"format", "seesay-package"},
                {"format_version", 1},
                {"kind", "encoder"},
                {"name", "encoder-test"},
                {"architecture", architecture},
                {"sizes", nlohmann::json::object()},
                {"preprocessing", {{"width", width}, {"height", height}}},
                {"features",
                 {{"kind", "grid"},
                  {"rows", (height + 31) / 32},
                  {"columns", (width + 31) / 32},
                  {"dimension", 1280}}},
                {"padding", "same"},
                {"probes", {{"seed", 1}, {"count", 2}}},
                {"provenance", nlohmann::json::object()},
                {"licence", "MIT"}};
    }
    weights::ModelPackage write(const nlohmann::json& manifest,
                                const std::vector<weights::NamedTensor>& tensors) {
        weights::write_package(folder_, manifest, tensors, {{"README.md", "# test\n"}}, true);
        return weights::ModelPackage::open(folder_);
    }
    static std::unique_ptr<GridEncoder> load(const weights::ModelPackage& package,
                                             const std::string& path, int threads = 1) {
        GridEncoderOptions options;
        options.device = "cpu";
        options.path = path;
        options.threads = threads;
        options.precision = "fp32";
        return GridEncoder::load(package, options);
    }
    static std::vector<float> vectors(GridEncoder& encoder, const std::vector<Image>& pictures) {
        std::vector<float> result(pictures.size() * encoder.rows() * encoder.columns() *
                                  encoder.dimension());
        encoder.encode(pictures, result.data());
        return result;
    }
    std::string load_error(const nlohmann::json& manifest,
                           const std::vector<weights::NamedTensor>& tensors) {
        try {
            load(write(manifest, tensors), "auto");
            return {};
        } catch (const Error& error) {
            return error.what();
        }
    }

    std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                    ("seesay_grid_encoder_" + std::to_string(getpid()));
};

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(double{a[i]}));
        difference = std::max(difference, std::abs(double{a[i]} - b[i]));
    }
    return difference / largest;
}

TEST_F(GridEncoderTest, FastPathsEqualEager) {
    for (const auto& [architecture, width, height] : {std::tuple("efficientnet-lite0", 224, 224),
                                                      {"efficientnet-lite2", 96, 75},
                                                      {"efficientnet-lite1", 61, 130}}) {
        const auto opened = package(architecture, width, height);
        const auto pictures = probe_pictures(5, 3, width, height);
        const std::vector<float> expected = vectors(*load(opened, "eager"), pictures);
        EXPECT_LT(relative_difference(expected, vectors(*load(opened, "torchscript"), pictures)),
                  1e-4)
            << architecture;
        if (has_onednn()) {
            EXPECT_LT(relative_difference(expected, vectors(*load(opened, "onednn"), pictures)),
                      1e-4)
                << architecture;
            EXPECT_LT(relative_difference(expected, vectors(*load(opened, "onednn", 2), pictures)),
                      1e-4);
        }
    }
}

TEST_F(GridEncoderTest, TorchScriptIsWrittenWithoutTheLocale) {
    // Depthwise layers have more than 999 groups: a thousands separator would break their lines.
    struct Grouping : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const auto opened = package("efficientnet-lite0", 64, 64);
    const auto pictures = probe_pictures(5, 1, 64, 64);
    const std::vector<float> expected = vectors(*load(opened, "torchscript"), pictures);
    const std::locale previous =
        std::locale::global(std::locale(std::locale::classic(), new Grouping));
    std::vector<float> found;
    EXPECT_NO_THROW(found = vectors(*load(opened, "torchscript"), pictures));
    std::locale::global(previous);
    EXPECT_EQ(expected, found);
}

TEST_F(GridEncoderTest, FastPathsEqualEagerWithThePublicWeights) {
    const auto shipped = std::filesystem::path(SEESAY_SOURCE_DIR) / "models/packages/encoder-lite2";
    if (!std::filesystem::exists(shipped)) GTEST_SKIP() << "no package " << shipped;
    const auto opened = weights::ModelPackage::open(shipped);
    const auto pictures = probe_pictures(1, 2, 224, 224);
    const std::vector<float> expected = vectors(*load(opened, "eager"), pictures);
    EXPECT_LT(relative_difference(expected, vectors(*load(opened, "torchscript"), pictures)), 1e-4);
    EXPECT_LT(relative_difference(expected, vectors(*load(opened, "auto"), pictures)), 1e-4);
}

TEST_F(GridEncoderTest, IsDeterministicAndIndependentOfNeighbours) {
    const auto opened = package("efficientnet-lite0", 96, 96);
    const auto encoder = load(opened, "auto");
    const auto pictures = probe_pictures(9, 3, 96, 96);
    const std::vector<float> all = vectors(*encoder, pictures);
    EXPECT_EQ(vectors(*encoder, pictures), all);
    if (!has_onednn()) GTEST_SKIP() << "batches are computed together without oneDNN";
    const std::vector<float> last = vectors(*encoder, {pictures[2]});
    EXPECT_TRUE(
        std::equal(last.begin(), last.end(), all.end() - static_cast<std::ptrdiff_t>(last.size())));
}

TEST_F(GridEncoderTest, FillsInFeatureSets) {
    const auto opened = package("efficientnet-lite0", 96, 64);
    const auto encoder = load(opened, "auto");
    std::vector<FeatureSet> sets(2);
    sets[1].frame.id = 7;
    sets[1].geometry.picture_box = {0.1F, 0.F, 0.9F, 1.F};
    const auto pictures = probe_pictures(9, 2, 96, 64);
    encoder->encode(pictures, sets);
    EXPECT_EQ(sets[1].count, 6);
    EXPECT_EQ(sets[1].dimension, 1280);
    EXPECT_EQ(sets[1].geometry.kind, Geometry::Kind::Grid);
    EXPECT_EQ(sets[1].geometry.rows, 2);
    EXPECT_EQ(sets[1].geometry.columns, 3);
    EXPECT_EQ(sets[1].encoder_name, "encoder-test");
    EXPECT_EQ(sets[1].encoder_sha256, opened.sha256());
    EXPECT_EQ(sets[1].frame.id, 7U);
    EXPECT_EQ(sets[1].geometry.picture_box[0], 0.1F);
    EXPECT_GT(sets[1].inference_ns, 0);
    const std::vector<float> expected = vectors(*encoder, pictures);
    EXPECT_TRUE(
        std::equal(sets[1].vectors.begin(), sets[1].vectors.end(), expected.begin() + 6 * 1280));
}

TEST_F(GridEncoderTest, PlacesLieRowMajorFromTheTopLeft) {
    const auto opened = package("efficientnet-lite0", 192, 96);  // 3 rows, 6 columns
    const auto pictures = probe_pictures(4, 1, 192, 96);
    EfficientNetLite network(efficientnet_lite_sizes("efficientnet-lite0"));
    network->load(opened.tensors());
    network->eval();
    const at::Tensor input = at::empty({1, 3, 96, 192});
    normalise(pictures[0], Preprocessing{}, input.data_ptr<float>());
    const torch::NoGradGuard no_gradient;
    const at::Tensor expected = network->forward_features(input);
    const std::vector<float> found = vectors(*load(opened, "auto"), pictures);
    for (const auto& [row, column] : {std::pair(0, 5), {2, 0}, {1, 3}}) {
        for (const int channel : {0, 640, 1279}) {
            EXPECT_NEAR(found[(row * 6 + column) * 1280 + channel],
                        expected[0][channel][row][column].item<float>(), 1e-3);
        }
    }
}

TEST_F(GridEncoderTest, BlueFirstSwapsChannels) {
    nlohmann::json swapped = manifest("efficientnet-lite0", 64, 64);
    swapped["preprocessing"]["blue_first"] = true;
    const auto tensors = seeded_tensors(efficientnet_lite_sizes("efficientnet-lite0"));
    std::vector<Image> picture = probe_pictures(9, 1, 64, 64);
    const std::vector<float> expected =
        vectors(*load(package("efficientnet-lite0", 64, 64), "auto"), picture);
    for (std::size_t i = 0; i < picture[0].pixels.size(); i += 3)
        std::swap(picture[0].pixels[i], picture[0].pixels[i + 2]);
    EXPECT_EQ(vectors(*load(write(swapped, tensors), "auto"), picture), expected);
}

TEST_F(GridEncoderTest, RefusesWeightsThatAreNotFinite) {
    for (const float wrong :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const auto sizes = efficientnet_lite_sizes("efficientnet-lite0");
        auto tensors = seeded_tensors(sizes);
        auto values =
            std::make_shared<std::vector<float>>(seeded_values(tensors[9].name, tensors[9].shape));
        (*values)[3] = wrong;
        tensors[9].bytes = std::as_bytes(std::span(*values));
        tensors[9].owner = values;
        EXPECT_THAT(
            load_error(manifest("efficientnet-lite0", 64, 64), tensors),
            testing::AllOf(testing::HasSubstr(tensors[9].name), testing::HasSubstr("finite")));
    }
}

TEST_F(GridEncoderTest, RefusesPackagesThatContradictThemselves) {
    const auto tensors = seeded_tensors(efficientnet_lite_sizes("efficientnet-lite0"));
    const nlohmann::json good = manifest("efficientnet-lite0", 64, 64);
    EXPECT_EQ(load_error(good, tensors), "");
    const auto error_with = [&](const char* pointer, const nlohmann::json& value) {
        nlohmann::json changed = good;
        changed[nlohmann::json::json_pointer(pointer)] = value;
        return load_error(changed, tensors);
    };
    EXPECT_THAT(error_with("/padding", "valid"), testing::HasSubstr("padding"));
    EXPECT_THAT(error_with("/features/rows", 3), testing::HasSubstr("rows"));
    EXPECT_THAT(error_with("/architecture", "resnet-50"), testing::HasSubstr("resnet-50"));
    EXPECT_THAT(error_with("/architecture", "efficientnet-lite2"), testing::HasSubstr("tensor"));
    EXPECT_THAT(error_with("/preprocessing/widht", 64), testing::HasSubstr("widht"));
    EXPECT_THAT(error_with("/sizes/batch_norm_epsilon", 1e-5), testing::HasSubstr("epsilon"));
}

TEST_F(GridEncoderTest, RefusesOptionsThatCannotBeMet) {
    const auto opened = package("efficientnet-lite0", 64, 64);
    const auto error_with = [&](const GridEncoderOptions& options) {
        try {
            GridEncoder::load(opened, options);
            return std::string();
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_THAT(error_with({"cpu", 1, "half", "auto"}), testing::HasSubstr("precision"));
    EXPECT_THAT(error_with({"cpu", -1, "fp32", "auto"}), testing::HasSubstr("threads"));
    EXPECT_THAT(error_with({"tpu", 1, "fp32", "auto"}), testing::HasSubstr("device"));
    EXPECT_THAT(error_with({"cpu", 1, "bf16", "torchscript"}), testing::HasSubstr("bf16"));
    if (!onednn_runs_bf16()) {
        EXPECT_THAT(error_with({"cpu", 1, "bf16", "auto"}), testing::HasSubstr("bf16"));
    }
}

TEST_F(GridEncoderTest, RefusesPicturesOfAnotherSize) {
    const auto encoder = load(package("efficientnet-lite0", 64, 64), "auto");
    EXPECT_THROW(vectors(*encoder, probe_pictures(1, 1, 65, 64)), Error);
    std::vector<FeatureSet> too_few(1);
    EXPECT_THROW(encoder->encode(probe_pictures(1, 2, 64, 64), too_few), Error);
}

TEST_F(GridEncoderTest, IsMeasuredAgainstEager) {
    const EncoderBench bench = bench_encoder(package("efficientnet-lite0", 64, 64), 1, 2);
    EXPECT_EQ(bench.eager.path, "eager fp32");
    EXPECT_NE(bench.chosen.path, bench.eager.path);
    EXPECT_GE(bench.chosen.median_ms, bench.chosen.minimum_ms);
    EXPECT_GT(bench.chosen.minimum_ms, 0);
    EXPECT_DOUBLE_EQ(bench.ratio, bench.chosen.median_ms / bench.eager.median_ms);
    const nlohmann::json json = to_json(bench);
    EXPECT_EQ(json["rounds"], 2);
    EXPECT_EQ(json["bf16"].is_null(), !onednn_runs_bf16());
}

TEST_F(GridEncoderTest, Bf16AgreesWhereItRuns) {
    if (!onednn_runs_bf16()) GTEST_SKIP() << "this processor does not compute in bfloat16";
    const auto opened = package("efficientnet-lite0", 96, 96);
    const auto chosen = GridEncoder::load(opened, {"cpu", 1, "auto", "auto"});
    EXPECT_EQ(chosen->path() == "onednn bf16", chosen->bf16_agreement() >= 0.999);
    EXPECT_GT(chosen->bf16_agreement(), 0.9);
}

}  // namespace
}  // namespace seesay::vision
