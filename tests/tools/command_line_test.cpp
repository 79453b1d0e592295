// The program as users start it: usage errors, settings files, exit codes, help.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fixtures/tiny_packages.hpp"

namespace seesay::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
    int exit_code = -1;
    std::string text;  ///< standard output and standard error
};

// `redirection` concerns the program alone: ">/dev/full" leaves standard error in `text`.
Outcome start(const std::string& arguments, const std::string& redirection = "") {
    const std::string command = std::string("{ " SEESAY_BUILD_DIR "/bin/seesay ")
                                    .append(arguments)
                                    .append(" ")
                                    .append(redirection)
                                    .append("; } 2>&1");
    FILE* pipe = popen(command.c_str(), "r");
    Outcome outcome;
    char buffer[4096];
    for (std::size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
        outcome.text.append(buffer, count);
    }
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

TEST(CommandLine, HelpNamesEveryCommand) {
    const auto outcome = start("--help");
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* command :
         {"train", "evaluate", "score", "import", "models", "doctor", "bench"}) {
        EXPECT_THAT(outcome.text, HasSubstr(command));
        EXPECT_EQ(start(std::string(command).append(" --help")).exit_code, 0) << command;
    }
}

TEST(CommandLine, VersionIsOneLine) {
    const auto outcome = start("--version");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.text, StartsWith("seesay "));
}

class WrongUsage : public ::testing::TestWithParam<const char*> {};

TEST_P(WrongUsage, IsOneLineAndExitCode2) {
    const auto outcome = start(GetParam());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    EXPECT_THAT(outcome.text, StartsWith("seesay: "));
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
}

INSTANTIATE_TEST_SUITE_P(Arguments, WrongUsage,
                         ::testing::Values("", "nonsense", "models --nonsense", "score",
                                           "evaluate --images /absent --captions /absent",
                                           "train --epochs 0", "bench --only nonsense",
                                           "train --images / --captions /dev/null -o x "
                                           "--learning-rate nan",
                                           "train --images / --captions /dev/null -o ''",
                                           "score c --captions r --json ''", "import x -o ''"));

TEST(CommandLine, ModelsListsThePackagesOnThePath) {
    const fixtures::TemporaryFolder folder;
    (void)fixtures::make_tiny_packages(folder.path());
    setenv("SEESAY_PACKAGE_PATH", folder.path().c_str(), 1);
    const auto listed = start("models --json");
    unsetenv("SEESAY_PACKAGE_PATH");
    const auto rows = nlohmann::json::parse(listed.text);
    bool found = false;
    for (const auto& row : rows.at("packages")) {
        found = found ||
                (row["name"] == "tiny" && row["kind"] == "captioner" && row["checksums"] == "ok");
    }
    EXPECT_TRUE(found) << listed.text;
}

TEST(CommandLine, ModelsTellsADamagedPackage) {
    const fixtures::TemporaryFolder folder;
    const auto packages = fixtures::make_tiny_packages(folder.path());
    std::ofstream(packages.captioner / "vocabulary.json", std::ios::app) << " ";
    setenv("SEESAY_PACKAGE_PATH", folder.path().c_str(), 1);
    const auto listed = start("models");
    unsetenv("SEESAY_PACKAGE_PATH");
    EXPECT_EQ(listed.exit_code, 1);
    EXPECT_THAT(listed.text, HasSubstr("vocabulary.json"));
}

TEST(CommandLine, AFullDiskBehindStandardOutputIsAnError) {
    const auto outcome = start("models", ">/dev/full");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.text, HasSubstr("standard output cannot be written"));
}

TEST(CommandLine, AReaderThatHasGoneIsAnErrorAndNoSignal) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    ASSERT_EQ(::dup2(ends[1], 9), 9);  // shells take one digit
    ::close(ends[1]);
    const auto outcome = start("models", ">&9");
    ::close(9);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.text, HasSubstr("standard output cannot be written"));
}

#ifdef SEESAY_WITH_GSTREAMER
// A grey picture of 8 × 6 pixels.
std::filesystem::path write_picture(const std::filesystem::path& folder) {
    auto file = folder / "picture.pgm";
    std::ofstream(file, std::ios::binary) << "P5\n8 6\n255\n" << std::string(48, 'x');
    return file;
}

class CaptionOutput : public ::testing::Test {
 protected:
    CaptionOutput() {
        const auto packages = fixtures::make_tiny_packages(folder_.path());
        setenv("SEESAY_PACKAGE_PATH", folder_.path().c_str(), 1);
        arguments_ = "caption " + write_picture(folder_.path()).string() +
                     " --package tiny --stream x --jsonl " + jsonl_.string();
    }
    ~CaptionOutput() override { unsetenv("SEESAY_PACKAGE_PATH"); }

    const fixtures::TemporaryFolder folder_;
    const std::filesystem::path jsonl_ = folder_.path() / "events.jsonl";
    std::string arguments_;
};

TEST_F(CaptionOutput, LostOnStandardOutputOnlyLeavesTheFiles) {
    const auto outcome = start(arguments_ + " --quiet", ">/dev/full");
    EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("captions were not printed"));
    EXPECT_TRUE(std::filesystem::exists(jsonl_));
}

TEST_F(CaptionOutput, LostAltogetherIsAFailure) {
    const auto outcome = start(arguments_.substr(0, arguments_.find(" --jsonl")), ">/dev/full");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("standard output cannot be written"));
}

TEST_F(CaptionOutput, ClosedStandardStreamsDoNotEndUpInFiles) {
    const auto outcome = start(arguments_, "<&- >&-");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    std::ifstream stream(jsonl_);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

TEST(CommandLine, CaptionTellsMistakesBeforeItStarts) {
    for (const char* arguments :
         {"caption", "caption a.mp4 --beam 0", "caption a.mp4 --interval -1",
          "caption a.mp4 --interval 1,5", "caption a.mp4 --burn maybe",
          "caption a.mp4 --burn none --attention words", "caption a.mp4 --stream a/b",
          "caption a.mp4 --device gpu", "caption a.mp4 --config /absent",
          "caption a.mp4 --publish ''", "caption a.mp4 --stream ''", "caption a.mp4 -o ''",
          "caption a.mp4 --jsonl ''", "caption a.mp4 --preset quick",
          "caption a.mp4 --encoder theora", "caption a.mp4 --publish 127.0.0.1:5555"}) {
        const auto outcome = start(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.text;
        EXPECT_THAT(outcome.text, StartsWith("seesay: ")) << arguments;
        EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
    }
}

TEST(CommandLine, CaptionNamesFileAndLineOfABadSetting) {
    const fixtures::TemporaryFolder folder;
    const auto file = folder.path() / "settings.yaml";
    std::ofstream(file) << "beam: 3\nintervall: 1\n";
    const auto outcome = start(std::string("caption a.mp4 --config ").append(file.string()));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.text,
                HasSubstr("settings.yaml:2: unknown key 'intervall'; did you mean 'interval'?"));
}

TEST(CommandLine, SettingsThatOtherLayersKnowAreCheckedWithFileAndLine) {
    const fixtures::TemporaryFolder folder;
    const auto file = folder.path() / "settings.yaml";
    for (const char* line :
         {"preset: quick", "encoder: theora", "publish: tcp://127.0.0.1:70000"}) {
        std::ofstream(file) << "beam: 3\n" << line << '\n';
        const auto outcome = start(std::string("caption a.mp4 --config ").append(file.string()));
        EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
        EXPECT_THAT(outcome.text, HasSubstr("settings.yaml:2: ")) << line;
    }
}

TEST(CommandLine, CaptionOfAMissingFileFails) {
    const auto outcome = start("caption /absent/film.mp4");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.text, HasSubstr("/absent/film.mp4"));
}
#endif

}  // namespace
}  // namespace seesay::tools
