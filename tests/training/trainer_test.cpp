// Steps, their determinism, and the state that outlives a kill.
#include "models/training/trainer.hpp"

#include <gmock/gmock.h>

#include "models/error.hpp"
#include "tests/fixtures/tiny_packages.hpp"
#include "training_fixtures.hpp"

namespace seesay::training {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TrainerTest : public ::testing::Test {
 protected:
    TrainerTest() {
        write_data_set(folder_.path(), 24);
        CaptionDataOptions data;
        data.images = folder_.path();
        data.captions = folder_.path() / "captions.tsv";
        data.held_out = 4;
        data_ = load_caption_data(data);
        vocabulary_ = std::make_unique<language::Vocabulary>(build_vocabulary(data_, "en", 2));
        features_ = std::make_unique<FeatureCache>(
            FeatureCache::open(folder_.path() / "cache", data_.training, source_, 3, 1, {}));
        options_.epochs = 8;
        options_.pictures_per_step = 6;
        options_.warm_up_steps = 3;
        options_.learning_rate = 1e-2;
        options_.average_decay = 0.9;
        options_.network.sizes["projection"] = 8;
        options_.network.sizes["attention"] = 8;
        options_.network.sizes["hidden"] = 16;
        options_.network.sizes["embedding"] = 16;
    }

    Trainer make() { return Trainer(options_, data_, *vocabulary_, *features_, nullptr, "cpu"); }

    static std::string bytes_of(const Trainer& trainer) {
        std::string bytes;
        for (const auto& tensor : trainer.captioner_tensors(weights::DataType::F32)) {
            bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
        }
        return bytes;
    }

    fixtures::TemporaryFolder folder_;
    QuarterColours source_;
    CaptionData data_;
    std::unique_ptr<language::Vocabulary> vocabulary_;
    std::unique_ptr<FeatureCache> features_;
    TrainingOptions options_;
};

TEST_F(TrainerTest, LearnsASmallDataSet) {
    options_.epochs = 60;
    options_.dropout = {0, 0, 0, 0, 0};
    Trainer trainer = make();
    const double first = trainer.step().cross_entropy;
    double last = first;
    while (trainer.steps_done() < trainer.steps_in_all()) {
        last = trainer.step().cross_entropy;
    }
    EXPECT_GT(first, 2.0);
    EXPECT_LT(last, 0.4);
}

TEST_F(TrainerTest, EqualRunsAreEqualToTheLastBit) {
    Trainer one = make();
    Trainer two = make();
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(one.step().cross_entropy, two.step().cross_entropy);
    }
    EXPECT_EQ(bytes_of(one), bytes_of(two));
}

TEST_F(TrainerTest, ResumedRunEqualsTheUninterruptedOne) {
    Trainer whole = make();
    for (int i = 0; i < 9; ++i) {
        (void)whole.step();
    }
    {
        Trainer killed = make();
        for (int i = 0; i < 5; ++i) {
            (void)killed.step();
        }
        killed.save(folder_.path() / "state.pt", {{"note", "here"}});
    }
    Trainer resumed = make();
    EXPECT_EQ(resumed.restore(folder_.path() / "state.pt").at("note"), "here");
    EXPECT_EQ(resumed.steps_done(), 5);
    for (int i = 0; i < 4; ++i) {
        (void)resumed.step();
    }
    EXPECT_EQ(bytes_of(resumed), bytes_of(whole));
}

class EveryArchitecture : public TrainerTest, public testing::WithParamInterface<const char*> {
 protected:
    EveryArchitecture() {
        const std::string name = GetParam();
        const bool hard = name == "hard-attention";
        options_.network = default_network(hard ? "show-attend-tell" : name);
        options_.dropout = dropout_for(options_.network.architecture, {});
        for (const char* key : {"projection", "attention", "hidden", "embedding", "width"}) {
            if (options_.network.sizes.contains(key)) {
                options_.network.sizes[key] = 16;
            }
        }
        if (name == "transformer") {
            options_.network.sizes["feed_forward"] = 32;
            options_.network.sizes["decoder_layers"] = 2;
        }
        if (hard) {
            options_.hard_attention.drawn = 0.5;
        }
    }
};

TEST_P(EveryArchitecture, LearnsASmallDataSet) {
    options_.epochs = 160;
    options_.dropout = {0, 0, 0, 0, 0};
    Trainer trainer = make();
    const double first = trainer.step().cross_entropy;
    double last = first;
    while (trainer.steps_done() < trainer.steps_in_all()) {
        last = trainer.step().cross_entropy;
    }
    EXPECT_GT(first, 2.0);
    // The mean vector does not tell where a colour is: without attention some captions stay open.
    EXPECT_LT(last, options_.network.architecture == "nic" ? 0.8 : 0.5);
}

TEST_P(EveryArchitecture, TwentyStepsAndTwentyMoreAreForty) {
    options_.epochs = 100;
    Trainer whole = make();
    for (int i = 0; i < 40; ++i) {
        (void)whole.step();
    }
    {
        Trainer killed = make();
        for (int i = 0; i < 20; ++i) {
            (void)killed.step();
        }
        killed.save(folder_.path() / "state.pt", nullptr);
    }
    Trainer resumed = make();
    (void)resumed.restore(folder_.path() / "state.pt");
    for (int i = 0; i < 20; ++i) {
        (void)resumed.step();
    }
    EXPECT_EQ(bytes_of(resumed), bytes_of(whole));
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryArchitecture,
                         testing::Values("show-attend-tell", "hard-attention", "nic", "att2in",
                                         "up-down", "transformer"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST_F(TrainerTest, HardAttentionReportsEntropyAndBaseline) {
    options_.hard_attention.drawn = 0.5;
    Trainer trainer = make();
    const StepReport first = trainer.step();
    EXPECT_EQ(first.baseline, 0);
    EXPECT_GT(first.attention_entropy, 0);
    EXPECT_LT(first.attention_entropy, std::log(4.0) + 1e-6);
    EXPECT_LT(trainer.step().baseline, 0);
}

TEST_F(TrainerTest, HardAttentionNeedsPlaces) {
    options_.network = default_network("nic");
    options_.dropout = dropout_for("nic", {});
    options_.hard_attention.drawn = 0.5;
    EXPECT_THAT([&] { (void)make(); }, ThrowsMessage<Error>(HasSubstr("hard attention")));
}

TEST_F(TrainerTest, DropoutWithoutAPlaceIsRefused) {
    EXPECT_THAT([] { (void)dropout_for("nic", {.output = 0.5}); },
                ThrowsMessage<Error>(HasSubstr("deep output")));
    EXPECT_EQ(dropout_for("transformer", {}).hidden, 0.1);
    EXPECT_EQ(dropout_for("transformer", {.hidden = 0.3}).hidden, 0.3);
    EXPECT_EQ(dropout_for("show-attend-tell", {}).output, 0.5);
}

TEST_F(TrainerTest, RefusesAStateOfOtherOptions) {
    make().save(folder_.path() / "state.pt", nullptr);
    options_.learning_rate = 2e-2;
    Trainer other = make();
    EXPECT_THAT([&] { (void)other.restore(folder_.path() / "state.pt"); },
                ThrowsMessage<Error>(HasSubstr("other options")));
}

TEST_F(TrainerTest, RefusesADamagedState) {
    write_lines(folder_.path() / "state.pt", {"not an archive"});
    Trainer trainer = make();
    EXPECT_THAT([&] { (void)trainer.restore(folder_.path() / "state.pt"); },
                ThrowsMessage<Error>(HasSubstr("state.pt: not a training state")));
}

TEST_F(TrainerTest, SaysWhenTheLossIsNotFinite) {
    options_.learning_rate = 1e30;
    options_.clip = 1e30;
    options_.warm_up_steps = 1;
    Trainer trainer = make();
    EXPECT_THAT(
        [&] {
            for (int i = 0; i < 20; ++i) {
                (void)trainer.step();
            }
        },
        ThrowsMessage<Error>(HasSubstr("the loss is not a finite number")));
}

std::map<std::string, weights::NamedTensor> by_name(const std::vector<weights::NamedTensor>& all) {
    std::map<std::string, weights::NamedTensor> tensors;
    for (const auto& tensor : all) {
        tensors.emplace(tensor.name, tensor);
    }
    return tensors;
}

class SelfCriticalTrainerTest : public TrainerTest {
 protected:
    // A captioner that has learned a little, and the options to go on self-critically.
    SelfCriticalTrainerTest() {
        options_.epochs = 20;
        options_.dropout = {0, 0, 0, 0, 0};
        Trainer trainer = make();
        while (trainer.steps_done() < 12) {
            trainer.step();
        }
        initial_ = by_name(trainer.captioner_tensors(weights::DataType::F32));
        options_.objective = Objective::SelfCritical;
        options_.epochs = 60;
        options_.learning_rate = 5e-3;
        options_.average_decay = 0;
    }

    std::map<std::string, weights::NamedTensor> initial_;
};

TEST_F(SelfCriticalTrainerTest, RaisesTheReward) {
    Trainer trainer = make();
    trainer.start_from(initial_);
    double first = 0, last = 0;
    for (std::int64_t step = 0; step < trainer.steps_in_all(); ++step) {
        const double reward = trainer.step().reward;
        first += step < 10 ? reward / 10 : 0;
        last += step >= trainer.steps_in_all() - 10 ? reward / 10 : 0;
    }
    EXPECT_GT(last, 2 * first);
}

TEST_F(SelfCriticalTrainerTest, ResumedRunEqualsTheUninterruptedOne) {
    Trainer whole = make();
    whole.start_from(initial_);
    Trainer first = make();
    first.start_from(initial_);
    for (int i = 0; i < 3; ++i) {
        whole.step();
        first.step();
    }
    first.save(folder_.path() / "state.pt", {});
    Trainer second = make();
    second.restore(folder_.path() / "state.pt");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(whole.step().reward, second.step().reward);
    }
    EXPECT_EQ(bytes_of(whole), bytes_of(second));
}

TEST_F(SelfCriticalTrainerTest, RefusesWeightsThatDoNotFit) {
    Trainer trainer = make();
    auto missing = initial_;
    missing.erase("gate.bias");
    EXPECT_THAT([&] { trainer.start_from(missing); },
                ThrowsMessage<Error>(HasSubstr("tensor gate.bias is missing")));
    options_.network.sizes["hidden"] = 17;
    Trainer other = make();
    EXPECT_THAT([&] { other.start_from(initial_); },
                ThrowsMessage<Error>(HasSubstr("another shape")));
}

}  // namespace
}  // namespace seesay::training
