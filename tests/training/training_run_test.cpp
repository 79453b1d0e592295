// Whole runs on a tiny encoder: package, card, resume, evaluation, tuning the encoder's top.
#include "models/training/training_run.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/training/evaluation.hpp"
#include "models/weights/model_package.hpp"
#include "tests/fixtures/tiny_packages.hpp"
#include "training_fixtures.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TrainingRunTest : public ::testing::Test {
 protected:
    TrainingRunTest() {
        packages_ = fixtures::make_tiny_packages(folder_.path() / "packages");
        fs::create_directories(folder_.path() / "data");
        write_data_set(folder_.path() / "data", 16);
        std::vector<std::string> names;
        for (int i = 12; i < 16; ++i) {
            names.push_back(std::string("p").append(std::to_string(i)).append(".png"));
        }
        write_lines(folder_.path() / "dev.txt", names);
        options_.data.images = folder_.path() / "data";
        options_.data.captions = folder_.path() / "data" / "captions.tsv";
        options_.data.evaluation_list = folder_.path() / "dev.txt";
        options_.data.held_out = 3;
        options_.data_name = "coloured squares";
        options_.data_terms = "free";
        options_.encoder = packages_.encoder.string();
        options_.output = folder_.path() / "packages" / "squares";
        options_.work = folder_.path() / "work";
        options_.cache = folder_.path() / "cache";
        auto& training = options_.training;
        training.threads = 1;
        training.epochs = 3;
        training.pictures_per_step = 4;
        training.views = 2;
        training.minimum_count = 2;
        training.network.sizes["projection"] = 8;
        training.network.sizes["attention"] = 8;
        training.network.sizes["hidden"] = 16;
        training.network.sizes["embedding"] = 16;
    }

    static std::string text_of(const fs::path& file) {
        std::ifstream stream(file);
        std::stringstream text;
        text << stream.rdbuf();
        return text.str();
    }

    fixtures::TemporaryFolder folder_;
    fixtures::TinyPackages packages_;
    TrainingRunOptions options_;
};

TEST_F(TrainingRunTest, WritesAPackageThatEvaluates) {
    int epochs = 0;
    TrainingCallbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) { epochs = static_cast<int>(report.epoch); };
    const auto outcome = run_training(options_, callbacks);
    EXPECT_TRUE(outcome.finished);
    EXPECT_EQ(epochs, 3);
    const auto package = weights::ModelPackage::open(options_.output);
    EXPECT_EQ(package.architecture(), "show-attend-tell");
    EXPECT_EQ(package.manifest()["provenance"]["training_pictures"], 9);
    const auto& figures = package.manifest()["provenance"]["evaluation"];
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_THAT(text_of(options_.output / "README.md"),
                HasSubstr("coloured squares: 9 pictures to train on, 3 held out"));
    EXPECT_FALSE(text_of(options_.work / "log.jsonl").empty());

    EvaluationOptions evaluation;
    evaluation.images = options_.data.images;
    evaluation.captions = options_.data.captions;
    evaluation.list = options_.data.evaluation_list;
    evaluation.package = options_.output.string();
    const auto result = evaluate(evaluation);
    EXPECT_EQ(result.images.size(), 4U);
    EXPECT_NEAR(result.scores.bleu[0], figures[1]["BLEU-1"].get<double>(), 1e-9);
    EXPECT_NEAR(result.scores.cider_d, figures[1]["CIDEr-D"].get<double>(), 1e-9);
}

TEST_F(TrainingRunTest, StoppedAndResumedRunWritesTheSameWeights) {
    (void)run_training(options_, {});
    const std::string whole = text_of(options_.output / "weights.safetensors");

    auto parts = options_;
    parts.output = folder_.path() / "packages" / "parts";
    parts.work = folder_.path() / "work-parts";
    int steps = 0;
    TrainingCallbacks stop;
    stop.stop = [&] { return ++steps == 5; };
    EXPECT_FALSE(run_training(parts, stop).finished);
    EXPECT_TRUE(run_training(parts, {}).finished);
    EXPECT_EQ(text_of(parts.output / "weights.safetensors"), whole);
}

TEST_F(TrainingRunTest, TunesTheTopOfTheEncoder) {
    options_.fine_tune_from = 14;
    options_.encoder_output = folder_.path() / "packages" / "tuned";
    options_.training.encoder_learning_rate = 1e-3;
    (void)run_training(options_, {});
    const auto before = weights::ModelPackage::open(packages_.encoder);
    const auto after = weights::ModelPackage::open(options_.encoder_output);
    const auto differs = [&](const std::string& name) {
        const auto a = before.tensors().at(name).bytes, b = after.tensors().at(name).bytes;
        return !std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    EXPECT_TRUE(differs("_conv_head.weight"));
    EXPECT_TRUE(differs("_blocks.15._project_conv.weight"));
    EXPECT_FALSE(differs("_blocks.3._project_conv.weight"));
    EXPECT_FALSE(differs("_bn1.weight"));
    EXPECT_FALSE(differs("_bn1.running_mean"));
    EXPECT_EQ(weights::ModelPackage::open(options_.output).manifest()["encoder"]["sha256"],
              after.sha256());
}

// A package without attention, from training to a sentence.
TEST_F(TrainingRunTest, TrainsAnotherArchitecture) {
    options_.training.network = default_network("nic");
    options_.training.network.sizes = {{"embedding", 16}, {"hidden", 16}};
    EXPECT_TRUE(run_training(options_, {}).finished);
    const auto package = weights::ModelPackage::open(options_.output);
    EXPECT_EQ(package.architecture(), "nic");
    const auto captioner = language::load_captioner(package);
    vision::FeatureSet features;
    features.count = 3;
    features.dimension = captioner->feature_dimension();
    features.vectors.assign(3 * static_cast<std::size_t>(features.dimension), 0.5F);
    features.encoder_sha256 = captioner->identity().encoder_sha256;
    const auto sentence = language::describe(*captioner, features, captioner->decoding_defaults());
    EXPECT_TRUE(sentence.attention.empty());
    EXPECT_THAT(text_of(options_.output / "README.md"), HasSubstr("NIC"));
}

TEST_F(TrainingRunTest, RefusesToReplaceAPackage) {
    fs::create_directories(options_.output);
    EXPECT_THAT([&] { (void)run_training(options_, {}); },
                ThrowsMessage<Error>(HasSubstr("exists already")));
}

TEST_F(TrainingRunTest, RefusesBeforeTheWorkWhatCouldNotBeWrittenAfterIt) {
    options_.name = "a/b";
    EXPECT_THAT([&] { (void)run_training(options_, {}); },
                ThrowsMessage<Error>(HasSubstr("cannot name a package")));
    options_.name.clear();
    options_.replace = true;
    fs::create_directories(options_.output);
    std::ofstream(options_.output / "notes.txt") << "mine";
    EXPECT_THAT([&] { (void)run_training(options_, {}); },
                ThrowsMessage<Error>(HasSubstr("is not a model package")));
    EXPECT_FALSE(fs::exists(options_.work));
}

TEST_F(TrainingRunTest, StopsEarlyWithoutABetterEpoch) {
    options_.training.epochs = 40;
    options_.training.learning_rate = 1e-9;
    options_.training.average_decay = 0;
    options_.training.patience = 2;
    std::int64_t last = 0;
    TrainingCallbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) { last = report.epoch; };
    EXPECT_TRUE(run_training(options_, callbacks).finished);
    EXPECT_LT(last, 40);
}

TEST_F(TrainingRunTest, SelfCriticalTrainingStartsFromAPackage) {
    run_training(options_, {});
    options_.initial = options_.output.string();
    options_.output = folder_.path() / "packages" / "rewarded";
    options_.work = folder_.path() / "work2";
    options_.training.objective = Objective::SelfCritical;
    options_.training.network = default_network("nic");  // the package's counts
    options_.encoder.clear();
    options_.name.clear();
    double reward = -1;
    TrainingCallbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) { reward = report.reward; };
    EXPECT_TRUE(run_training(options_, callbacks).finished);
    EXPECT_GE(reward, 0);
    const auto before = weights::ModelPackage::open(options_.initial);
    const auto after = weights::ModelPackage::open(options_.output);
    EXPECT_EQ(after.manifest()["sizes"], before.manifest()["sizes"]);
    EXPECT_EQ(after.manifest()["encoder"], before.manifest()["encoder"]);
    EXPECT_EQ(after.manifest()["provenance"]["recipe"]["initial"], before.sha256());
    EXPECT_EQ(after.read_text("vocabulary.json"), before.read_text("vocabulary.json"));
    EXPECT_THAT(text_of(options_.output / "README.md"), HasSubstr("Self-critical"));
}

TEST_F(TrainingRunTest, SelfCriticalTrainingNeedsACaptioner) {
    options_.training.objective = Objective::SelfCritical;
    EXPECT_THAT([&] { run_training(options_, {}); }, ThrowsMessage<Error>(HasSubstr("--initial")));
    EXPECT_FALSE(fs::exists(options_.output));
}

TEST_F(TrainingRunTest, RefusesAnInitialCaptionerOfAnotherEncoderOrLanguage) {
    run_training(options_, {});
    options_.initial = options_.output.string();
    options_.output = folder_.path() / "packages" / "other";
    options_.work = folder_.path() / "work2";
    options_.data.language = "de";
    EXPECT_THAT([&] { run_training(options_, {}); }, ThrowsMessage<Error>(HasSubstr("speaks en")));
}

}  // namespace
}  // namespace seesay::training
