// The order of the examination.
#include "tools/doctor_command.hpp"

#include "tools/examination.hpp"

namespace seesay::tools {

void add_doctor_command(CLI::App& app, std::function<int()>& run) {
    CLI::App* command =
        app.add_subcommand("doctor", "Say what this machine has, what is wrong and how to cure it");
    command->callback([&run] {
        run = [] {
            Examination examination;
            examine_processor(examination);
            examine_torch(examination);
            examine_media(examination);
            examine_packages(examination);
            examination.print_cures();
            return examination.broken() == 0 ? 0 : 1;
        };
    });
}

}  // namespace seesay::tools
