// `seesay score` from its command line to the numbers it prints and writes.
#include "tools/score_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "tools/score_table.hpp"

namespace seesay::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ScoreCommand : public ::testing::Test {
 protected:
    ScoreCommand()
        : folder_(std::filesystem::temp_directory_path() /
                  ("seesay-score-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
        write("references.tsv",
              "a.jpg\ta man riding a horse\na.jpg\ta person rides a brown horse\n"
              "b.jpg\ttwo dogs play in the snow\nb.jpg\ta pair of dogs playing outside\n");
    }
    ~ScoreCommand() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        return path(name);
    }

    std::string read(const std::string& name) const {
        std::ifstream stream(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    /// Runs `seesay score …`; gives what it printed.
    static std::string run(std::vector<std::string> arguments) {
        CLI::App app;
        std::function<int()> work;
        add_score_command(app, work);
        arguments.insert(arguments.begin(), "score");
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
        ::testing::internal::CaptureStdout();
        try {
            EXPECT_EQ(work(), 0);
        } catch (...) {
            ::testing::internal::GetCapturedStdout();
            throw;
        }
        return ::testing::internal::GetCapturedStdout();
    }

    static std::string error_of(const std::vector<std::string>& arguments) {
        try {
            run(arguments);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }

    std::filesystem::path folder_;
};

constexpr auto kCandidates = "b.jpg\ttwo dogs in snow\na.jpg\ta man rides a horse\n";

TEST(ScoreTable, ComparesPackagesInColumns) {
    metrics::CaptionScores scores;
    scores.bleu[3] = 0.25;
    scores.cider_d = 1.5;
    const std::string table =
        comparison_as_table({{"default", "show-attend-tell", 3, scores}, {"a", "nic", 10, scores}});
    EXPECT_EQ(table,
              "package  architecture      beam  BLEU-1  BLEU-2  BLEU-3  BLEU-4  ROUGE-L  CIDEr-D   "
              "CIDEr\n"
              "default  show-attend-tell     3  0.0000  0.0000  0.0000  0.2500   0.0000   1.5000  "
              "0.0000\n"
              "a        nic                 10  0.0000  0.0000  0.0000  0.2500   0.0000   1.5000  "
              "0.0000\n");
}

TEST_F(ScoreCommand, PrintsTheTable) {
    const auto candidates = write("c.tsv", kCandidates);
    EXPECT_EQ(run({candidates, "--captions", path("references.tsv")}),
              "BLEU-1     0.8007\n"
              "BLEU-2     0.6053\n"
              "BLEU-3     0.0000\n"
              "BLEU-4     0.0000\n"
              "ROUGE-L    0.7861\n"
              "CIDEr-D    1.9904\n"
              "CIDEr      3.8120\n"
              "images          2\n");
}

TEST_F(ScoreCommand, WritesJsonBesideTheTable) {
    const auto candidates = write("c.tsv", kCandidates);
    EXPECT_THAT(run({candidates, "--captions", path("references.tsv"), "--json", path("out.json")}),
                HasSubstr("BLEU-1"));
    const auto document = nlohmann::ordered_json::parse(read("out.json"));
    std::vector<std::string> names;
    for (const auto& item : document["metrics"].items())
        names.push_back(item.key());
    EXPECT_THAT(names,
                ElementsAre("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr-D", "CIDEr"));
    EXPECT_NEAR(document["metrics"]["CIDEr-D"].get<double>(), 1.9904484691, 1e-9);
    EXPECT_EQ(document["images"], 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.part.json"));
}

TEST_F(ScoreCommand, JsonOnStandardOutputReplacesTheTable) {
    const auto candidates = write("c.tsv", kCandidates);
    const auto output = run({candidates, "--captions", path("references.tsv"), "--json", "-"});
    EXPECT_EQ(nlohmann::json::parse(output)["images"], 2);
}

TEST_F(ScoreCommand, MatchesCocoResultsWithAnnotationsByIdAndScoresTheListOnly) {
    const auto references = write("annotations.json", R"({"images": [
        {"id": 7, "file_name": "seven.jpg"}, {"id": 8, "file_name": "eight.jpg"},
        {"id": 9, "file_name": "nine.jpg"}], "annotations": [
        {"image_id": 7, "caption": "A dog."}, {"image_id": 8, "caption": "A cat."},
        {"image_id": 9, "caption": "A cow."}]})");
    const auto candidates = write(
        "r.json", R"([{"image_id": 9, "caption": "a cow"}, {"image_id": 7, "caption": "a dog"},
                            {"image_id": 8, "caption": "nothing of it"}])");
    const auto list = write("list.txt", "# two\nseven.jpg\nnine.jpg\n");
    const auto output = run({candidates, "--captions", references, "--list", list, "--json", "-"});
    const auto document = nlohmann::json::parse(output);
    EXPECT_EQ(document["images"], 2);
    EXPECT_NEAR(document["metrics"]["BLEU-2"].get<double>(), 1.0, 1e-6);
}

TEST_F(ScoreCommand, MissingCandidateIsAnError) {
    const auto candidates = write("c.tsv", "a.jpg\tx\n");
    EXPECT_THAT(error_of({candidates, "--captions", path("references.tsv")}),
                AllOf(HasSubstr("has no candidate for image b.jpg"), HasSubstr("--list")));
}

TEST_F(ScoreCommand, DuplicateCandidateIsAnError) {
    const auto candidates = write("c.tsv", "a.jpg\tx\nb.jpg\ty\na.jpg\tz\n");
    EXPECT_THAT(error_of({candidates, "--captions", path("references.tsv")}),
                HasSubstr("more than one candidate for image a.jpg"));
}

TEST_F(ScoreCommand, CandidateWithoutReferencesIsAnError) {
    const auto candidates = write("c.tsv", "a.jpg\tx\nb.jpg\ty\nz.jpg\tz\n");
    EXPECT_THAT(error_of({candidates, "--captions", path("references.tsv")}),
                HasSubstr("no reference caption for image z.jpg"));
}

TEST_F(ScoreCommand, ListedImageWithoutReferencesIsAnError) {
    const auto candidates = write("c.tsv", kCandidates);
    const auto list = write("list.txt", "a.jpg\ny.jpg\nz.jpg\n");
    EXPECT_THAT(error_of({candidates, "--captions", path("references.tsv"), "--list", list}),
                HasSubstr("no reference caption for 2 images (the first is y.jpg) of the list"));
}

TEST_F(ScoreCommand, UnwritableOutputIsAnErrorAndLeavesNothing) {
    const auto candidates = write("c.tsv", kCandidates);
    EXPECT_THAT(error_of({candidates, "--captions", path("references.tsv"), "--json",
                          path("none/out.json")}),
                HasSubstr("cannot write"));
    EXPECT_THAT(
        error_of({candidates, "--captions", path("references.tsv"), "--json", folder_.string()}),
        HasSubstr("it is a folder"));
}

TEST_F(ScoreCommand, InputsAndDevicesAreNotOverwritten) {
    const auto candidates = write("c.tsv", kCandidates);
    const auto references = read("references.tsv");
    std::filesystem::create_symlink(path("references.tsv"), path("link"));
    for (const auto& out : {path("references.tsv"), path("./c.tsv"), path("link")}) {
        EXPECT_THAT(error_of({candidates, "--captions", path("references.tsv"), "--json", out}),
                    HasSubstr("it is an input"))
            << out;
    }
    EXPECT_EQ(read("references.tsv"), references);
    EXPECT_EQ(read("c.tsv"), kCandidates);
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_THAT(
        error_of({candidates, "--captions", path("references.tsv"), "--json", path("pipe")}),
        HasSubstr("it is not a regular file"));
    EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
}

TEST_F(ScoreCommand, WrongUsageIsToldApartFromFailure) {
    CLI::App app;
    std::function<int()> work;
    add_score_command(app, work);
    std::vector<std::string> arguments{"c.tsv", "score"};  // without --captions
    EXPECT_THROW(app.parse(arguments), CLI::ParseError);
}

TEST_F(ScoreCommand, ACommaLocaleChangesNoNumber) {
    const auto candidates = write("c.tsv", kCandidates);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no de_DE.UTF-8 here";
    const auto output = run({candidates, "--captions", path("references.tsv")});
    const auto json = run({candidates, "--captions", path("references.tsv"), "--json", "-"});
    std::setlocale(LC_ALL, "C");
    EXPECT_THAT(output, HasSubstr("0.8007"));
    EXPECT_NEAR(nlohmann::json::parse(json)["metrics"]["CIDEr-D"].get<double>(), 1.9904484691,
                1e-9);
}

}  // namespace
}  // namespace seesay::tools
