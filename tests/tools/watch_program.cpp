// `watch` as a program of its own, for its tests.
#include <cstdio>
#include <exception>

#include "tools/watch_command.hpp"

int main(int argc, char** argv) {
    CLI::App app;
    app.require_subcommand(1);
    std::function<int()> run;
    seesay::tools::add_watch_command(app, run);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        return run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
