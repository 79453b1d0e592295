// Every input that fuzzers started from or found goes through its reader in each test run.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/fuzz/readers.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::fuzz {
namespace {

namespace fs = std::filesystem;

/// Runs the reader over the files of a folder; how many there were.
int run_folder(const std::string& reader, const fs::path& folder) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path().string());
        readers().at(reader)(weights::bytes_of(weights::text_of_file(entry.path())));
        ++count;
    }
    return count;
}

class FuzzCorpus : public testing::TestWithParam<std::string> {};

TEST_P(FuzzCorpus, EveryInputEndsInAResultOrAnError) {
    EXPECT_GT(
        run_folder(GetParam(), fs::path(SEESAY_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus,
                         testing::Values("checkpoint", "manifest", "safetensors", "vocabulary"),
                         [](const auto& reader) { return reader.param; });

TEST(FuzzCorpus, EveryReaderSurvivesTheFilesOfTheOthers) {
    const fs::path corpus = fs::path(SEESAY_SOURCE_DIR) / "tests/fuzz/corpus";
    for (const auto& [name, reader] : readers()) {
        for (const auto& folder : fs::directory_iterator(corpus)) {
            run_folder(name, folder.path());
        }
        run_folder(name, fs::path(SEESAY_SOURCE_DIR) / "tests/weights/checkpoints");
    }
}

}  // namespace
}  // namespace seesay::fuzz
