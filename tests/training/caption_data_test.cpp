// Which pictures and captions a run uses, and what it refuses.
#include "models/training/caption_data.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "models/error.hpp"
#include "tests/fixtures/tiny_packages.hpp"
#include "training_fixtures.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CaptionDataTest : public ::testing::Test {
 protected:
    CaptionDataTest() {
        write_data_set(folder_.path(), 40);
        options_.images = folder_.path();
        options_.captions = folder_.path() / "captions.tsv";
        options_.held_out = 5;
    }

    fs::path list(const std::string& name, int begin, int end) {
        std::vector<std::string> names;
        for (int i = begin; i < end; ++i) {
            names.push_back(std::string("p").append(std::to_string(i)).append(".png"));
        }
        write_lines(folder_.path() / name, names);
        return folder_.path() / name;
    }

    fixtures::TemporaryFolder folder_;
    CaptionDataOptions options_;
};

TEST_F(CaptionDataTest, SplitsTrainingHeldOutAndEvaluation) {
    options_.evaluation_list = list("dev.txt", 30, 40);
    const auto data = load_caption_data(options_);
    EXPECT_EQ(data.training.size(), 25U);
    EXPECT_EQ(data.held_out.size(), 5U);
    EXPECT_EQ(data.evaluation_pictures, 10);
    EXPECT_EQ(data.evaluation_captions, 20);
    EXPECT_EQ(data.captions_left_out, 0);
}

TEST_F(CaptionDataTest, HeldOutPicturesDoNotDependOnTheOrderOfTheList) {
    options_.training_list = list("forward.txt", 0, 30);
    std::vector<std::string> backward;
    for (int i = 29; i >= 0; --i) {
        backward.push_back(std::string("p").append(std::to_string(i)).append(".png"));
    }
    write_lines(folder_.path() / "backward.txt", backward);
    const auto names = [](const CaptionData& data) {
        std::vector<std::string> held_out;
        for (const auto& picture : data.held_out) {
            held_out.push_back(picture.name);
        }
        return held_out;
    };
    const auto first = names(load_caption_data(options_));
    options_.training_list = folder_.path() / "backward.txt";
    EXPECT_THAT(names(load_caption_data(options_)), ::testing::UnorderedElementsAreArray(first));
}

TEST_F(CaptionDataTest, RefusesAPictureInBothLists) {
    options_.training_list = list("train.txt", 0, 31);
    options_.evaluation_list = list("dev.txt", 30, 40);
    EXPECT_THAT([&] { (void)load_caption_data(options_); },
                ThrowsMessage<Error>(HasSubstr("'p30.png' is in the training list")));
}

TEST_F(CaptionDataTest, RefusesAnEvaluationPictureUnderAnotherName) {
    fs::copy_file(folder_.path() / "p35.png", folder_.path() / "p3.png",
                  fs::copy_options::overwrite_existing);
    options_.evaluation_list = list("dev.txt", 30, 40);
    EXPECT_THAT([&] { (void)load_caption_data(options_); },
                ThrowsMessage<Error>(
                    HasSubstr("'p3.png' is the evaluation picture 'p35.png' under another name")));
}

TEST_F(CaptionDataTest, LeavesOutCaptionsOfTheEvaluationAndCountsThem) {
    std::ofstream(options_.captions, std::ios::app)
        << "p4.png\tThe SQUARE is white, on the left-of 31!\n";
    options_.evaluation_list = list("dev.txt", 28, 40);
    // p31 is white: its second caption is the one above, but for case and punctuation.
    const auto data = load_caption_data(options_);
    EXPECT_EQ(data.captions_left_out, 1);
    EXPECT_EQ(data.pictures_touched, 1);
    for (const auto& picture : data.training) {
        EXPECT_EQ(picture.captions.size(), 2U) << picture.name;
    }
}

TEST_F(CaptionDataTest, RefusesWhenTrainingCaptionsCoverTheEvaluation) {
    std::ofstream captions(options_.captions, std::ios::app);
    captions << "p4.png\tthe square is white on the left of 31\np5.png\tthe square is red on the "
                "left of 32\n";
    captions.close();
    options_.evaluation_list = list("dev.txt", 30, 40);
    EXPECT_THAT([&] { (void)load_caption_data(options_); },
                ThrowsMessage<Error>(HasSubstr("2 of the 20 evaluation captions")));
}

TEST_F(CaptionDataTest, NamesAMissingPictureFile) {
    fs::remove(folder_.path() / "p7.png");
    EXPECT_THAT([&] { (void)load_caption_data(options_); },
                ThrowsMessage<Error>(HasSubstr("p7.png: no such picture file")));
}

TEST_F(CaptionDataTest, UsesTheSplitsOfAKarpathyFile) {
    write_lines(
        folder_.path() / "karpathy.json",
        {R"({"images":[)",
         R"({"filename":"p0.png","split":"train","sentences":[{"raw":"a red thing"}]},)",
         R"({"filename":"p1.png","split":"restval","sentences":[{"raw":"a green thing"}]},)",
         R"({"filename":"p2.png","split":"val","sentences":[{"raw":"a blue thing"}]},)",
         R"({"filename":"p3.png","split":"test","sentences":[{"raw":"a white thing"}]}],"dataset":"x"})"});
    options_.captions = folder_.path() / "karpathy.json";
    options_.held_out = 1;
    const auto data = load_caption_data(options_);
    EXPECT_EQ(data.training.size() + data.held_out.size(), 2U);
    EXPECT_EQ(data.evaluation_pictures, 2);
}

TEST_F(CaptionDataTest, VocabularyComesFromTrainingPicturesAlone) {
    options_.evaluation_list = list("dev.txt", 30, 40);
    const auto data = load_caption_data(options_);
    const auto vocabulary = build_vocabulary(data, "en", 3);
    EXPECT_TRUE(vocabulary.find("square").has_value());
    EXPECT_FALSE(vocabulary.find("35").has_value());
    EXPECT_FALSE(build_vocabulary(data, "en", 1).find("35").has_value());
}

}  // namespace
}  // namespace seesay::training
