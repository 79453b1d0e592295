// Settings files: defaults, every kind of mistake, and the line it is on.
#include "config/caption_settings.hpp"

#include <gmock/gmock.h>

#include <clocale>
#include <fstream>

#include "config/config_error.hpp"
#include "tests/fixtures/tiny_packages.hpp"

namespace seesay::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string mistake(const std::string& text) {
    try {
        (void)parse_caption_settings(text, "s.yaml");
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(CaptionSettings, ReadsEveryKey) {
    const auto settings = parse_caption_settings(
        "package: zh\ninterval: 0.5\nbeam: 5\nburn: text\nattention: mean\npublish: "
        "tcp://127.0.0.1:5555\nstream: cam-1\n"
        "device: cuda:1\nthreads: 2\nmode: latest\nencoder: x264enc\ncrf: 23\npreset: "
        "slow\ndrop-tracks: true\n",
        "s.yaml");
    EXPECT_EQ(settings.package, "zh");
    EXPECT_EQ(settings.interval, 0.5);
    EXPECT_EQ(settings.beam, 5);
    EXPECT_EQ(settings.attention, "mean");
    EXPECT_EQ(settings.publish, "tcp://127.0.0.1:5555");
    EXPECT_EQ(settings.stream, "cam-1");
    EXPECT_EQ(settings.device, "cuda:1");
    EXPECT_EQ(settings.threads, 2);
    EXPECT_EQ(settings.mode, "latest");
    EXPECT_EQ(settings.encoder, "x264enc");
    EXPECT_EQ(settings.crf, 23);
    EXPECT_EQ(settings.preset, "slow");
    EXPECT_TRUE(settings.drop_tracks);
}

TEST(CaptionSettings, EmptyFileKeepsTheDefaults) {
    EXPECT_EQ(parse_caption_settings("", "s.yaml").interval, 1.0);
    EXPECT_EQ(parse_caption_settings("# nothing\n", "s.yaml").beam, 3);
}

TEST(CaptionSettings, AcceptsByteOrderMarkAndWindowsLines) {
    EXPECT_EQ(parse_caption_settings("\xEF\xBB\xBF"
                                     "beam: 2\r\ninterval: 3\r\n",
                                     "s.yaml")
                  .interval,
              3.0);
}

TEST(CaptionSettings, UnknownKeyNamesLineAndNearest) {
    EXPECT_THAT(mistake("beam: 3\nintervall: 1\n"),
                AllOf(StartsWith("s.yaml:2:"), HasSubstr("did you mean 'interval'")));
    EXPECT_THAT(mistake("x: 3\n"),
                AllOf(StartsWith("s.yaml:1:"), ::testing::Not(HasSubstr("did you mean"))));
}

TEST(CaptionSettings, KeyGivenTwiceNamesBothLines) {
    EXPECT_THAT(mistake("beam: 3\ninterval: 1\nbeam: 4\n"),
                AllOf(StartsWith("s.yaml:3:"), HasSubstr("line 1")));
}

class BadValue : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BadValue, IsTold) {
    const auto [line, expected] = GetParam();
    EXPECT_THAT(mistake(std::string("package: default\n") + line + "\n"),
                AllOf(StartsWith("s.yaml:2:"), HasSubstr(expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, BadValue,
    ::testing::Values(std::pair{"interval: -1", "0 (every frame) to 86400"},
                      std::pair{"interval: .nan", "expected a number"},
                      std::pair{"interval: nan", "expected a number"},
                      std::pair{"interval: 1,5", "expected a number"},
                      std::pair{"interval: fast", "expected a number, found 'fast'"},
                      std::pair{"beam: 100000", "1 to 100"}, std::pair{"beam: 2.5", "whole number"},
                      std::pair{"beam: [3]", "not a list"}, std::pair{"beam: {a: 1}", "not a map"},
                      std::pair{"beam:", "not nothing"}, std::pair{"burn: maybe", "text or none"},
                      std::pair{"mode: fast", "auto, every or latest"},
                      std::pair{"device: gpu9", "auto, cpu, cuda or cuda:N"},
                      std::pair{"stream: a/b", "stream id"}, std::pair{"crf: 52", "0 to 51"},
                      std::pair{"drop-tracks: yes", "true or false"},
                      std::pair{"publish: \"\"", "is empty"}, std::pair{"stream: \"\"", "is empty"},
                      std::pair{"\tbeam: 3", "not YAML"}, std::pair{"beam: \"3", "whole number"}));

TEST(CaptionSettings, ASecondDocumentIsTold) {
    EXPECT_THAT(mistake("beam: 3\n---\nbeam: 2\n"),
                AllOf(StartsWith("s.yaml:3:"), HasSubstr("second document")));
}

TEST(CaptionSettings, FurtherChecksTellFileAndLineToo) {
    const SettingCheck check = [](const CaptionSettings& settings, std::string_view key) {
        return key == "preset" ? std::optional("not " + settings.preset) : std::nullopt;
    };
    try {
        (void)parse_caption_settings("beam: 3\npreset: quick\n", "s.yaml", check);
        FAIL() << "nothing was thrown";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(), "s.yaml:2: preset: not quick");
    }
}

TEST(CaptionSettings, ManyKeysEndAtTheFirstUnknownOne) {
    std::string text;
    for (int i = 0; i < 60'000; ++i)
        text.append("k").append(std::to_string(i)).append(": 1\n");
    EXPECT_THAT(mistake(text), StartsWith("s.yaml:1: unknown key 'k0'"));
}

TEST(CaptionSettings, AttentionWithoutBurningIsRefused) {
    EXPECT_THAT(mistake("burn: none\nattention: words\n"),
                HasSubstr("there is no attention to draw"));
}

TEST(CaptionSettings, RefusesWhatIsNotAMap) {
    EXPECT_THAT(mistake("- a\n- b\n"), HasSubstr("expected a map"));
    EXPECT_THAT(mistake("just words"), HasSubstr("expected a map"));
    EXPECT_THAT(mistake(std::string("\x00\x01\x02", 3)), HasSubstr("not UTF-8 text"));
    EXPECT_THAT(mistake("stream: caf\xE9\n"),
                AllOf(StartsWith("s.yaml:1:"), HasSubstr("not UTF-8")));
}

TEST(CaptionSettings, DeepAndRepeatedNestingEndAtOnce) {
    EXPECT_FALSE(mistake(std::string(100000, '[')).empty());
    EXPECT_THAT(mistake("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nbeam: "
                        "[*b,*b,*b,*b,*b,*b,*b,*b]\n"),
                HasSubstr("not a list"));
}

TEST(CaptionSettings, ReadsFilesAndNamesThemWhenItCannot) {
    const fixtures::TemporaryFolder folder;
    const auto file = folder.path() / "settings.yaml";
    std::ofstream(file) << "beam: 7\n";
    EXPECT_EQ(load_caption_settings(file).beam, 7);
    EXPECT_THROW((void)load_caption_settings(folder.path() / "absent.yaml"), ConfigError);
    EXPECT_THROW((void)load_caption_settings(folder.path()), ConfigError);
    std::ofstream(file) << std::string(2 << 20, '#');
    EXPECT_THROW((void)load_caption_settings(file), ConfigError);
}

TEST(CaptionSettings, CommaLocaleChangesNoNumber) {
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
        GTEST_SKIP() << "locale de_DE.UTF-8 is not installed";
    }
    EXPECT_EQ(parse_caption_settings("interval: 2.5\n", "s.yaml").interval, 2.5);
    std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace seesay::config
