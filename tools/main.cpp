// The `seesay` command: finds the sub-command, turns errors into one line and an exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>

#include "models/error.hpp"
#include "tools/evaluate_command.hpp"
#include "tools/score_command.hpp"
#include "tools/train_command.hpp"

int main(int argc, char** argv) {
    CLI::App app{"seesay watches video and says what it sees"};
    app.require_subcommand(1);
    std::function<int()> run;
    seesay::tools::add_train_command(app, run);
    seesay::tools::add_evaluate_command(app, run);
    seesay::tools::add_score_command(app, run);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        app.exit(error);
        return 2;
    }
    try {
        return run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "seesay: %s\n", error.what());
        return 1;
    }
}
