// The tiny packages do what their header promises.
#include "tests/fixtures/tiny_packages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/vision/probe_pictures.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::fixtures {
namespace {

class TinyPackagesTest : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        packages_ = new TinyPackages(make_tiny_packages(folder_->path()));
    }
    static void TearDownTestSuite() {
        delete packages_;
        delete folder_;
    }
    static std::vector<std::string> captions(const std::filesystem::path& package) {
        const auto captioner = language::load_captioner(weights::ModelPackage::open(package));
        const auto encoder = vision::GridEncoder::load(
            weights::ModelPackage::open(packages_->encoder), {"cpu", 1, "fp32"});
        std::vector<std::string> texts;
        for (const auto& picture : vision::probe_pictures(5, 6, 96, 64)) {
            vision::FeatureSet features;
            encoder->encode({&picture, 1}, {&features, 1});
            const auto sentence =
                language::describe(*captioner, features, captioner->decoding_defaults());
            texts.push_back(language::to_caption(*captioner, features, sentence, 0).text);
        }
        return texts;
    }
    static TemporaryFolder* folder_;
    static TinyPackages* packages_;
};
TemporaryFolder* TinyPackagesTest::folder_ = nullptr;
TinyPackages* TinyPackagesTest::packages_ = nullptr;

TEST_F(TinyPackagesTest, SayDifferentThingsOfDifferentPictures) {
    const auto texts = captions(packages_->captioner);
    for (const auto& text : texts) {
        RecordProperty("caption", text);
    }
    EXPECT_GE(std::set<std::string>(texts.begin(), texts.end()).size(), 4U)
        << ::testing::PrintToString(texts);
}

TEST_F(TinyPackagesTest, SayTheSameOfTheSamePicture) {
    EXPECT_EQ(captions(packages_->captioner), captions(packages_->captioner));
}

TEST_F(TinyPackagesTest, RefuseNanWhenOpened) {
    EXPECT_THROW(weights::ModelPackage::open(packages_->nan), Error);
}

TEST_F(TinyPackagesTest, OverflowIsAnErrorNotACaption) {
    EXPECT_THROW(captions(packages_->overflow), Error);
}

TEST_F(TinyPackagesTest, RefuseFeaturesOfAnotherEncoder) {
    EXPECT_THROW(captions(packages_->other), Error);
}

TEST_F(TinyPackagesTest, EndlessSentencesAreCut) {
    for (const auto& text : captions(packages_->endless)) {
        EXPECT_FALSE(text.empty());
    }
}

}  // namespace
}  // namespace seesay::fixtures
