// The `seesay` command: finds the sub-command, turns errors into one line and an exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>

#include "config/config_error.hpp"
#include "models/error.hpp"
#include "tools/bench_command.hpp"
#include "tools/doctor_command.hpp"
#include "tools/evaluate_command.hpp"
#include "tools/import_command.hpp"
#include "tools/models_command.hpp"
#include "tools/score_command.hpp"
#include "tools/standard_streams.hpp"
#include "tools/train_command.hpp"
#ifdef SEESAY_WITH_GSTREAMER
#include "pipeline/track_plan.hpp"
#include "tools/caption_command.hpp"
#include "tools/watch_command.hpp"
#endif

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int complain(const char* message, int exit_code) {
    // One line: libraries append where in their sources it happened.
    const int length = static_cast<int>(std::strcspn(message, "\n"));
    std::fprintf(stderr, "seesay: %.*s\n", length, message);
    return exit_code;
}

void add_commands(CLI::App& app, std::function<int()>& run) {
    using namespace seesay::tools;
#ifdef SEESAY_WITH_GSTREAMER
    add_caption_command(app, run);
    add_watch_command(app, run);
#endif
    add_train_command(app, run);
    add_evaluate_command(app, run);
    add_score_command(app, run);
    add_import_command(app, run);
    add_models_command(app, run);
    add_doctor_command(app, run);
    add_bench_command(app, run);
}

}  // namespace

int main(int argc, char** argv) {
    seesay::tools::prepare_standard_streams();
    CLI::App app{
        "seesay watches video and says what it sees: captions, and the attention behind every "
        "word."};
    app.name("seesay");
    app.set_version_flag("--version", std::string("seesay ") + SEESAY_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    std::function<int()> run;
    add_commands(app, run);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        return complain((std::string(error.what()) + " (see seesay --help)").c_str(), kWrongUsage);
    } catch (const seesay::config::ConfigError& error) {
        return complain(error.what(), kWrongUsage);
    }
    try {
        const int exit_code = run();
        seesay::tools::require_standard_output();
        return exit_code;
#ifdef SEESAY_WITH_GSTREAMER
    } catch (const seesay::pipeline::UsageError& error) {
        return complain(error.what(), kWrongUsage);
#endif
    } catch (const std::exception& error) {
        return complain(error.what(), kFailed);
    }
}
