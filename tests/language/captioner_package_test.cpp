// Captioner packages: what does not fit is refused with what was expected and what was found.
#include "models/language/captioner_package.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "models/error.hpp"
#include "tests/language/sat_golden.hpp"

namespace seesay::language {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What make_captioner says about the case "paper" after `change`.
std::string refusal(const std::function<void(CaptionerParts&)>& change) {
    CaptionerParts parts = read_sat_golden("paper").parts;
    change(parts);
    try {
        make_captioner(parts);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CaptionerPackage, AcceptsWhatFits) {
    EXPECT_EQ(refusal([](CaptionerParts&) {}), "accepted");
}

TEST(CaptionerPackage, NamesBothShapes) {
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.sizes["hidden"] = 25; }),
                AllOf(HasSubstr("initial_hidden.outer.weight"), HasSubstr("[24, 16]"),
                      HasSubstr("[25, 16]")));
}

TEST(CaptionerPackage, NamesMissingAndUnexpectedTensors) {
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.tensors.erase("gate.bias"); }),
                AllOf(HasSubstr("gate.bias"), HasSubstr("missing")));
    EXPECT_THAT(refusal([](CaptionerParts& parts) {
                    parts.tensors["extra.weight"] = parts.tensors["gate.bias"];
                }),
                AllOf(HasSubstr("extra.weight"), HasSubstr("does not belong")));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.options["tied_output"] = false; }),
                AllOf(HasSubstr("output.weight"), HasSubstr("missing")));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.options["projection_norm"] = false; }),
                HasSubstr("projection_norm"));
}

TEST(CaptionerPackage, SaysBothSizesOfAnotherVocabulary) {
    EXPECT_THAT(refusal([](CaptionerParts& parts) {
                    auto tokens = parts.vocabulary.tokens();
                    tokens.pop_back();
                    parts.vocabulary = Vocabulary::from_tokens("en", tokens);
                }),
                AllOf(HasSubstr("50"), HasSubstr("49")));
}

TEST(CaptionerPackage, RefusesWrongSizesAndOptions) {
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.architecture = "show-and-tell"; }),
                AllOf(HasSubstr("show-and-tell"), HasSubstr("show-attend-tell")));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.sizes["attention"] = "12"; }),
                HasSubstr("sizes.attention"));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.sizes["embedding"] = -3; }),
                HasSubstr("sizes.embedding"));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.sizes.erase("hidden"); }),
                HasSubstr("sizes.hidden"));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.sizes = 7; }), HasSubstr("sizes"));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.options["deep_output"] = "relu"; }),
                HasSubstr("deep_output"));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.sizes["projection"] = nullptr; }),
                HasSubstr("projection_norm"));
    EXPECT_THAT(refusal([](CaptionerParts& parts) { parts.decoding.beam = 0; }), HasSubstr("beam"));
}

TEST(CaptionerPackage, RefusesWeightsThatAreNotFiniteOrNotNumbers) {
    EXPECT_THAT(refusal([](CaptionerParts& parts) {
                    auto& tensor = parts.tensors["gate.weight"];
                    auto bytes = std::make_shared<std::vector<std::byte>>(tensor.bytes.begin(),
                                                                          tensor.bytes.end());
                    (*bytes)[6] = std::byte{0xC0};
                    (*bytes)[7] = std::byte{0x7F};  // the second float is a NaN now
                    tensor.bytes = *bytes;
                    tensor.owner = bytes;
                }),
                AllOf(HasSubstr("gate.weight"), HasSubstr("not finite"), HasSubstr("1")));
    EXPECT_THAT(refusal([](CaptionerParts& parts) {
                    parts.tensors["gate.weight"].type = weights::DataType::I32;
                }),
                AllOf(HasSubstr("gate.weight"), HasSubstr("I32")));
}

TEST(CaptionerPackage, RefusesFeaturesThatDoNotFit) {
    const SatGolden golden = read_sat_golden("paper");
    const auto refuses = [&](const std::function<void(vision::FeatureSet&)>& change) {
        vision::FeatureSet features = golden.features(0);
        change(features);
        EXPECT_THROW(golden.captioner->check(features), Error);
    };
    golden.captioner->check(golden.features(0));
    refuses([](auto& f) { f.dimension = 21; });
    refuses([](auto& f) {
        f.count = 0;
        f.vectors.clear();
    });
    refuses([](auto& f) { f.count = -1; });
    refuses([](auto& f) { f.vectors.pop_back(); });
    refuses([](auto& f) { f.vectors[3] = std::nanf(""); });
}

TEST(CaptionerPackage, NamesBothEncoders) {
    CaptionerParts parts = read_sat_golden("paper").parts;
    parts.identity.encoder_name = "encoder-a";
    parts.identity.encoder_sha256 = std::string(64, 'a');
    const auto captioner = make_captioner(parts);
    vision::FeatureSet features = read_sat_golden("paper").features(0);
    features.encoder_name = "encoder-b";
    features.encoder_sha256 = std::string(64, 'b');
    try {
        captioner->check(features);
        FAIL() << "features of another encoder were accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("encoder-a"), HasSubstr("encoder-b"),
                                        HasSubstr("aaaaaaaa"), HasSubstr("bbbbbbbb")));
    }
}

}  // namespace
}  // namespace seesay::language
