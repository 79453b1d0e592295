// `seesay import` as the command line sees it.
#include "tools/import_command.hpp"

#include <gmock/gmock.h>

#include "models/error.hpp"
#include "tests/weights/temporary_folder.hpp"

namespace seesay::tools {
namespace {

const std::string torchscript =
    std::string(SEESAY_SOURCE_DIR) + "/tests/weights/checkpoints/torchscript.pt";

/// Parses and runs; what the program's main would do.
int run_command(const std::vector<std::string>& arguments) {
    CLI::App app;
    std::function<int()> run;
    add_import_command(app, run);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
    return run();
}

TEST(ImportCommand, NeedsATarget) {
    EXPECT_THROW(run_command({"import", "x.pth"}), CLI::ParseError);
    EXPECT_THROW(run_command({"import", "-o", "x"}), CLI::ParseError);
    EXPECT_THROW(run_command({"import", "x.pth", "-o", "x", "--dry-run"}), CLI::ParseError);
}

TEST(ImportCommand, WhatCannotBeImportedIsAnErrorAndLeavesNothing) {
    const weights::TemporaryFolder folder;
    const std::string target = (folder.path() / "p").string();
    try {
        run_command({"import", torchscript, "-o", target});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("TorchScript"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_THROW(run_command({"import", torchscript, "--dry-run"}), Error);
}

}  // namespace
}  // namespace seesay::tools
