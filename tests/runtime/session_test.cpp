// Sessions over tiny packages: sharing, whole captions, batches, re-scoring, errors, closing.
#include "models/runtime/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <future>
#include <locale>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/runtime/precision_check.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/vision/probe_pictures.hpp"
#include "models/weights/model_package.hpp"
#include "tests/fixtures/tiny_packages.hpp"

namespace seesay::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr auto kDeadline = 60s;

template <class Result>
Result wait(std::future<Result> future) {
    if (future.wait_for(kDeadline) != std::future_status::ready) {
        throw std::runtime_error("no answer within a minute");
    }
    return future.get();
}

std::future<EncodeResult> submit(Encoder& encoder, EncodeRequest request) {
    auto promise = std::make_shared<std::promise<EncodeResult>>();
    encoder.submit(std::move(request),
                   [promise](EncodeResult result) { promise->set_value(std::move(result)); });
    return promise->get_future();
}

std::future<CaptionResult> submit(Captioner& captioner, CaptionRequest request) {
    auto promise = std::make_shared<std::promise<CaptionResult>>();
    captioner.submit(std::move(request),
                     [promise](CaptionResult result) { promise->set_value(std::move(result)); });
    return promise->get_future();
}

std::string message_of(const std::exception_ptr& error) {
    if (!error) {
        return "";
    }
    try {
        std::rethrow_exception(error);
    } catch (const Error& exception) {
        return exception.what();
    }
}

template <class Function>
std::string message_of_throw(Function function) {
    try {
        function();
    } catch (const Error& exception) {
        return exception.what();
    }
    return "";
}

SessionOptions cpu(const std::string& precision = "fp32", int threads = 1) {
    return {"cpu", threads, precision};
}

class SessionTest : public testing::Test {
 protected:
    static void SetUpTestSuite() {
        folder_ = new fixtures::TemporaryFolder;
        packages_ = new fixtures::TinyPackages(fixtures::make_tiny_packages(folder_->path()));
        setenv("SEESAY_PACKAGE_PATH", folder_->path().c_str(), 1);
    }
    static void TearDownTestSuite() {
        unsetenv("SEESAY_PACKAGE_PATH");
        delete packages_;
        delete folder_;
    }

    static EncodeRequest picture(int index, bool alone = false) {
        EncodeRequest request;
        request.input =
            vision::probe_pictures(9, index + 1, 96, 64)[static_cast<std::size_t>(index)];
        request.frame.id = static_cast<std::uint64_t>(100 + index);
        request.frame.pts_ns = 40'000'000LL * index;
        request.geometry.picture_box = {0.F, 0.125F, 1.F, 0.875F};
        request.alone = alone;
        return request;
    }
    static std::shared_ptr<const vision::FeatureSet> features(int index) {
        auto encoder = open_encoder("tiny-encoder", cpu());
        auto result = wait(submit(*encoder, picture(index, true)));
        if (result.error) {
            std::rethrow_exception(result.error);
        }
        return result.features;
    }
    static CaptionRequest caption_of(int index, bool alone = false) {
        CaptionRequest request;
        request.features = features(index);
        request.decoding.maximum_length = 12;
        request.alone = alone;
        return request;
    }

    static fixtures::TemporaryFolder* folder_;
    static fixtures::TinyPackages* packages_;
};
fixtures::TemporaryFolder* SessionTest::folder_ = nullptr;
fixtures::TinyPackages* SessionTest::packages_ = nullptr;

TEST_F(SessionTest, EqualComponentsShareASessionUntilTheLastOwnerGoes) {
    auto first = open_captioner("tiny", cpu());
    EXPECT_EQ(first, open_captioner(packages_->captioner, cpu()));
    EXPECT_NE(first, open_captioner("tiny", cpu("fp32", 2)));
    EXPECT_NE(first, open_captioner("tiny-endless", cpu()));
    const std::weak_ptr<Captioner> watched = first;
    first.reset();
    EXPECT_TRUE(watched.expired());
    EXPECT_NE(open_captioner("tiny", cpu()), nullptr);
}

TEST_F(SessionTest, CaptionersShareTheEncoderTheyName) {
    for (const char* precision : {"fp32", "auto"}) {
        const auto encoder = open_encoder("tiny", cpu(precision));
        EXPECT_EQ(encoder->name(), "tiny-encoder");
        EXPECT_EQ(encoder, open_encoder("tiny-endless", cpu(precision))) << precision;
        const auto captioner = open_captioner("tiny", cpu(precision));
        EXPECT_EQ(captioner->encoder_sha256(), encoder->sha256());
        EXPECT_EQ(captioner->encoder_name(), encoder->name());
        EXPECT_EQ(captioner->language(), "en");
        EXPECT_EQ(captioner->decoding_defaults().maximum_length, 12);
    }
}

TEST_F(SessionTest, RefusesAnEncoderWithAnotherChecksum) {
    EXPECT_THAT(message_of_throw([] { open_encoder("tiny-other", cpu()); }),
                AllOf(HasSubstr("tiny-encoder"), HasSubstr("000000")));
}

TEST_F(SessionTest, RefusesWhatIsNoCaptionerOrNoPackage) {
    EXPECT_THAT(message_of_throw([] { open_captioner("tiny-encoder", cpu()); }),
                HasSubstr("encoder"));
    EXPECT_NE(message_of_throw([] { open_captioner("no-such-package", cpu()); }), "");
    EXPECT_NE(message_of_throw([&] { open_captioner(packages_->nan, cpu()); }), "");
}

TEST_F(SessionTest, RefusesWrongOptions) {
    const auto refusal = [](const SessionOptions& options) {
        EXPECT_NE(message_of_throw([&] { open_encoder("tiny", options); }), "");
        EXPECT_NE(message_of_throw([&] { open_captioner("tiny", options); }), "");
    };
    refusal({"gpu", 1, "fp32"});
    refusal({"cpu", -1, "fp32"});
    refusal({"cpu", 1, "fp64"});
    refusal({"cuda:99", 1, "fp32"});
}

TEST_F(SessionTest, FeaturesCarryFrameGeometryAndEncoder) {
    const auto encoder = open_encoder("tiny", cpu());
    const auto result = wait(submit(*encoder, picture(1)));
    ASSERT_TRUE(result.features) << message_of(result.error);
    EXPECT_EQ(result.features->count, 6);
    EXPECT_EQ(result.features->dimension, 1280);
    EXPECT_EQ(result.features->geometry.rows, 2);
    EXPECT_EQ(result.features->geometry.columns, 3);
    EXPECT_EQ(result.features->geometry.picture_box[1], 0.125F);
    EXPECT_EQ(result.features->frame.id, 101U);
    EXPECT_EQ(result.features->encoder_sha256, encoder->sha256());
    EXPECT_GT(result.features->inference_ns, 0);
}

TEST_F(SessionTest, CaptionsCarryWordsAttentionFrameAndModel) {
    const auto captioner = open_captioner("tiny", cpu());
    const auto result = wait(submit(*captioner, caption_of(1)));
    ASSERT_TRUE(result.caption) << message_of(result.error);
    const language::Caption& caption = *result.caption;
    EXPECT_FALSE(caption.text.empty());
    EXPECT_EQ(caption.attended, 6);
    ASSERT_EQ(caption.attention.size(), caption.tokens.size() * 6);
    for (std::size_t t = 0; t < caption.tokens.size(); ++t) {
        float sum = 0.F;
        for (std::size_t i = 0; i < 6; ++i) {
            sum += caption.attention[t * 6 + i];
        }
        EXPECT_NEAR(sum, 1.F, 1e-5);
    }
    EXPECT_EQ(caption.frame.id, 101U);
    EXPECT_EQ(caption.model.name, "tiny");
    EXPECT_EQ(caption.model.sha256, captioner->sha256());
    EXPECT_GT(caption.confidence, 0.F);
    EXPECT_LE(caption.confidence, 1.F);
    EXPECT_GT(caption.inference_ns, 0);
    EXPECT_EQ(result.previous, nullptr);
}

TEST_F(SessionTest, TogetherOrAloneTheCaptionIsTheSame) {
    const auto captioner = open_captioner("tiny", cpu());
    std::vector<std::future<CaptionResult>> together;
    for (int i = 0; i < 12; ++i) {
        together.push_back(submit(*captioner, caption_of(i % 5)));
    }
    for (int i = 0; i < 12; ++i) {
        const auto one = wait(std::move(together[static_cast<std::size_t>(i)]));
        const auto alone = wait(submit(*captioner, caption_of(i % 5, true)));
        ASSERT_TRUE(one.caption && alone.caption);
        EXPECT_EQ(one.caption->text, alone.caption->text);
        EXPECT_EQ(one.caption->score, alone.caption->score);
        EXPECT_EQ(one.caption->attention, alone.caption->attention);
    }
}

TEST_F(SessionTest, ThePreviousCaptionIsScoredOnTheNewFeatures) {
    const auto captioner = open_captioner("tiny", cpu());
    const auto first = wait(submit(*captioner, caption_of(0)));
    ASSERT_TRUE(first.caption);
    for (const int next : {0, 3}) {
        CaptionRequest request = caption_of(next);
        request.previous = first.caption;
        const auto result = wait(submit(*captioner, request));
        ASSERT_TRUE(result.caption && result.previous) << message_of(result.error);
        EXPECT_EQ(result.previous->text, first.caption->text);
        EXPECT_EQ(result.previous->frame.id, static_cast<std::uint64_t>(100 + next));
        EXPECT_EQ(result.previous->attention.size(), first.caption->attention.size());
        if (next == 0) {
            EXPECT_EQ(result.previous->score, first.caption->score);
            EXPECT_EQ(result.previous->attention, first.caption->attention);
        } else {
            EXPECT_NE(result.previous->score, first.caption->score);
            EXPECT_NE(result.previous->attention, first.caption->attention);
        }
    }
}

TEST_F(SessionTest, DoesNotScoreACaptionOfAnotherPackage) {
    const auto tiny = open_captioner("tiny", cpu());
    const auto endless = open_captioner("tiny-endless", cpu());
    const auto first = wait(submit(*endless, caption_of(0)));
    ASSERT_TRUE(first.caption);
    CaptionRequest request = caption_of(0);
    request.previous = first.caption;
    EXPECT_THAT(message_of(wait(submit(*tiny, request)).error), HasSubstr("tiny-endless"));
}

TEST_F(SessionTest, ErrorsGoToTheirOwnRequest) {
    const auto captioner = open_captioner("tiny", cpu());
    const auto encoder = open_encoder("tiny", cpu());
    std::vector<std::future<CaptionResult>> captions;
    std::vector<std::future<EncodeResult>> encodings;
    for (int i = 0; i < 6; ++i) {
        CaptionRequest request = caption_of(1);
        EncodeRequest input = picture(1);
        if (i % 2 == 1) {
            auto strange = std::make_shared<vision::FeatureSet>(*request.features);
            strange->encoder_name = "another-encoder";
            strange->encoder_sha256 = std::string(64, 'f');
            request.features = strange;
            input.input.width = 95;
        }
        captions.push_back(submit(*captioner, request));
        encodings.push_back(submit(*encoder, input));
    }
    for (int i = 0; i < 6; ++i) {
        const auto caption = wait(std::move(captions[static_cast<std::size_t>(i)]));
        const auto encoding = wait(std::move(encodings[static_cast<std::size_t>(i)]));
        if (i % 2 == 1) {
            EXPECT_THAT(message_of(caption.error),
                        AllOf(HasSubstr("another-encoder"), HasSubstr("tiny-encoder")));
            EXPECT_THAT(message_of(encoding.error), HasSubstr("96x64"));
            EXPECT_FALSE(caption.caption || encoding.features);
        } else {
            EXPECT_TRUE(caption.caption && encoding.features);
        }
    }
}

TEST_F(SessionTest, ARequestWithoutFeaturesIsAnError) {
    const auto captioner = open_captioner("tiny", cpu());
    EXPECT_THAT(message_of(wait(submit(*captioner, CaptionRequest{})).error),
                HasSubstr("no features"));
}

TEST_F(SessionTest, NumbersThatAreNotFiniteNeverBecomeACaption) {
    const auto captioner = open_captioner("tiny-overflow", cpu());
    const auto result = wait(submit(*captioner, caption_of(0)));
    EXPECT_EQ(result.caption, nullptr);
    EXPECT_THAT(message_of(result.error), HasSubstr("not finite"));
}

TEST_F(SessionTest, AnEndlessSentenceIsCutAtTheLimit) {
    const auto captioner = open_captioner("tiny-endless", cpu());
    const auto result = wait(submit(*captioner, caption_of(0)));
    ASSERT_TRUE(result.caption) << message_of(result.error);
    EXPECT_EQ(result.caption->tokens.size(), 12U);
    EXPECT_FALSE(result.caption->complete);
    EXPECT_EQ(result.caption->end_log_probability, 0.F);
}

TEST_F(SessionTest, ClosingAnswersEveryRequestOnce) {
    constexpr int kRequests = 40;
    const CaptionRequest request = caption_of(2);
    std::atomic<int> answers{0};
    std::atomic<int> strange{0};
    {
        const auto captioner = open_captioner("tiny", cpu());
        for (int i = 0; i < kRequests; ++i) {
            captioner->submit(request, [&](CaptionResult result) {
                ++answers;
                const std::string message = message_of(result.error);
                const bool closed = message.find("closed") != std::string::npos;
                strange += (result.caption != nullptr) == closed ? 1 : 0;
            });
        }
    }
    EXPECT_EQ(answers, kRequests);
    EXPECT_EQ(strange, 0);
}

TEST_F(SessionTest, ACommaLocaleChangesNothing) {
    class Comma : public std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const auto say = [] {
        const auto captioner = open_captioner("tiny", cpu());
        auto result = wait(submit(*captioner, caption_of(2)));
        return std::make_tuple(result.caption->text, result.caption->score, captioner->sha256());
    };
    const auto plain = say();
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const std::locale previous =
        std::locale::global(std::locale(std::locale::classic(), new Comma));
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed, C functions too
    const fixtures::TemporaryFolder folder;
    const auto again = fixtures::make_tiny_packages(folder.path());
    const auto with_comma = say();
    const auto rewritten = weights::ModelPackage::open(again.captioner).sha256();
    std::locale::global(previous);
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_EQ(plain, with_comma);
    EXPECT_EQ(std::get<2>(plain), rewritten);
}

TEST_F(SessionTest, TheProbeComparesCaptionsWordForWord) {
    const auto package = weights::ModelPackage::open(packages_->encoder);
    const auto captioner =
        language::load_captioner(weights::ModelPackage::open(packages_->captioner));
    const auto exact = vision::GridEncoder::load(package, {"cpu", 1, "fp32"});
    EXPECT_TRUE(captions_agree(*exact, *exact, package, *captioner));

    nlohmann::json manifest = package.manifest();
    for (const char* key : {"format", "format_version", "files", "sha256"}) {
        manifest.erase(key);
    }
    std::vector<weights::NamedTensor> tensors;
    for (const auto& [name, tensor] : package.tensors().tensors()) {
        tensors.push_back(tensor);
    }
    const auto head = std::find_if(tensors.begin(), tensors.end(), [](const auto& tensor) {
        return tensor.name == "_conv_head.weight";
    });
    ASSERT_NE(head, tensors.end());
    auto reversed = std::make_shared<std::vector<float>>(head->bytes.size() / sizeof(float));
    std::memcpy(reversed->data(), head->bytes.data(), head->bytes.size());
    std::reverse(reversed->begin(), reversed->end());
    head->bytes = std::as_bytes(std::span(*reversed));
    head->owner = reversed;
    const auto folder = folder_->path() / "strange-encoder";
    manifest["name"] = "strange-encoder";
    weights::write_package(folder, manifest, tensors, {{"README.md", "Reversed.\n"}}, true);
    const auto other =
        vision::GridEncoder::load(weights::ModelPackage::open(folder), {"cpu", 1, "fp32"});
    EXPECT_FALSE(captions_agree(*exact, *other, package, *captioner));
}

}  // namespace
}  // namespace seesay::runtime
