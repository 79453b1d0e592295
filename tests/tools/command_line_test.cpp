// The program as users start it: usage errors, settings files, exit codes, help.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

Outcome start(const std::string& arguments) {
    const std::string command =
        std::string(SEESAY_BUILD_DIR "/bin/seesay ").append(arguments).append(" 2>&1");
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
                                           "train --epochs 0", "bench --only nonsense"));

TEST(CommandLine, ModelsListsThePackagesOnThePath) {
    const fixtures::TemporaryFolder folder;
    (void)fixtures::make_tiny_packages(folder.path());
    setenv("SEESAY_PACKAGE_PATH", folder.path().c_str(), 1);
    const auto listed = start("models --json");
    unsetenv("SEESAY_PACKAGE_PATH");
    const auto rows = nlohmann::json::parse(listed.text);
    bool found = false;
    for (const auto& row : rows) {
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

#ifdef SEESAY_WITH_GSTREAMER
TEST(CommandLine, CaptionTellsMistakesBeforeItStarts) {
    for (const char* arguments :
         {"caption", "caption a.mp4 --beam 0", "caption a.mp4 --interval -1",
          "caption a.mp4 --interval 1,5", "caption a.mp4 --burn maybe",
          "caption a.mp4 --burn none --attention words", "caption a.mp4 --stream a/b",
          "caption a.mp4 --device gpu", "caption a.mp4 --config /absent",
          "caption a.mp4 --publish ''", "caption a.mp4 --stream ''", "caption a.mp4 -o ''",
          "caption a.mp4 --jsonl ''"}) {
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

TEST(CommandLine, CaptionOfAMissingFileFails) {
    const auto outcome = start("caption /absent/film.mp4");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.text, HasSubstr("/absent/film.mp4"));
}
#endif

}  // namespace
}  // namespace seesay::tools
