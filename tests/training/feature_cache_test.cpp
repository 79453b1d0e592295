// Views and the cache of their features.
#include "models/training/feature_cache.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/training/views.hpp"
#include "tests/fixtures/tiny_packages.hpp"
#include "training_fixtures.hpp"

namespace seesay::training {
namespace {

std::vector<CaptionedPicture> load_pictures(const std::filesystem::path& folder, int count) {
    write_data_set(folder, count);
    std::vector<CaptionedPicture> pictures;
    for (int i = 0; i < count; ++i) {
        const std::string name = std::string("p").append(std::to_string(i)).append(".png");
        pictures.push_back({name, folder / name, {"x"}, {{"x"}}});
    }
    return pictures;
}

TEST(Views, TheFirstIsThePictureAsInferenceSeesIt) {
    vision::Image picture{4, 2, std::vector<std::uint8_t>(24)};
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
        picture.pixels[i] = static_cast<std::uint8_t>(i * 10);
    }
    vision::Preprocessing preprocessing;
    preprocessing.width = 4;
    preprocessing.height = 2;
    EXPECT_EQ(render_view(picture, make_view(1, "a", 0), preprocessing).pixels, picture.pixels);
}

TEST(Views, MirroredViewsAreMirrored) {
    vision::Image picture{3, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
    vision::Preprocessing preprocessing;
    preprocessing.width = 3;
    preprocessing.height = 1;
    View view;
    view.mirrored = true;
    EXPECT_EQ(render_view(picture, view, preprocessing).pixels,
              (std::vector<std::uint8_t>{7, 8, 9, 4, 5, 6, 1, 2, 3}));
}

TEST(Views, ShowMostOfThePictureInChangingProportions) {
    double narrowest = 10, widest = 0;
    for (int i = 1; i < 400; ++i) {
        const View view = make_view(3, "picture", i);
        EXPECT_GE(view.left, 0);
        EXPECT_LE(view.left + view.width, 1.0 + 1e-12);
        EXPECT_LE(view.top + view.height, 1.0 + 1e-12);
        EXPECT_GE(view.width * view.height, 0.55);
        EXPECT_EQ(view.mirrored, i % 2 == 1);
        narrowest = std::min(narrowest, view.width / view.height);
        widest = std::max(widest, view.width / view.height);
    }
    EXPECT_LT(narrowest, 0.8);
    EXPECT_GT(widest, 1.25);
}

TEST(FeatureCache, HoldsTheSourcesValues) {
    fixtures::TemporaryFolder folder;
    const auto pictures = load_pictures(folder.path(), 11);
    QuarterColours source;
    const auto cache = FeatureCache::open(folder.path() / "cache", pictures, source, 2, 1, {});
    EXPECT_EQ(source.encoded, 22);
    const std::vector<ViewOfPicture> wanted{{2, 0}, {9, 1}};
    const at::Tensor batch = cache.batch(wanted);
    ASSERT_EQ(batch.sizes(), (std::vector<std::int64_t>{2, 4, 3}));
    // p2 is blue, p9 green.
    EXPECT_NEAR(batch[0][3][2].item<float>(), 220.0 / 255, 1e-3);
    EXPECT_NEAR(batch[0][3][0].item<float>(), 0, 1e-3);
    EXPECT_NEAR(batch[1][3][1].item<float>(), 220.0 / 255, 1e-3);
}

TEST(FeatureCache, SecondOpeningComputesNothing) {
    fixtures::TemporaryFolder folder;
    const auto pictures = load_pictures(folder.path(), 11);
    QuarterColours source;
    (void)FeatureCache::open(folder.path() / "cache", pictures, source, 1, 1, {});
    QuarterColours again;
    (void)FeatureCache::open(folder.path() / "cache", pictures, again, 2, 1, {});
    EXPECT_EQ(again.encoded, 11);  // the second view alone
}

TEST(FeatureCache, GoesOnAfterAKill) {
    fixtures::TemporaryFolder folder;
    const auto pictures = load_pictures(folder.path(), 300);
    QuarterColours killed;
    killed.fail_after = 290;
    EXPECT_ANY_THROW((void)FeatureCache::open(folder.path() / "cache", pictures, killed, 1, 1, {}));
    QuarterColours resumed;
    const auto cache = FeatureCache::open(folder.path() / "cache", pictures, resumed, 1, 1, {});
    EXPECT_LT(resumed.encoded, 60);
    QuarterColours fresh;
    const auto whole = FeatureCache::open(folder.path() / "other", pictures, fresh, 1, 1, {});
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const ViewOfPicture wanted{i, 0};
        ASSERT_TRUE(torch::equal(cache.batch({&wanted, 1}), whole.batch({&wanted, 1}))) << i;
    }
}

TEST(FeatureCache, AnotherPictureUnderTheSameNameIsAnotherCache) {
    fixtures::TemporaryFolder folder;
    const auto pictures = load_pictures(folder.path(), 4);
    QuarterColours source;
    (void)FeatureCache::open(folder.path() / "cache", pictures, source, 1, 1, {});
    std::filesystem::copy_file(pictures[1].file, pictures[0].file,
                               std::filesystem::copy_options::overwrite_existing);
    QuarterColours again;
    (void)FeatureCache::open(folder.path() / "cache", pictures, again, 1, 1, {});
    EXPECT_EQ(again.encoded, 4);
}

}  // namespace
}  // namespace seesay::training
