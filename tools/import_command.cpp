// `seesay import`: reads the options and prints what was recognised and written.
#include "tools/import_command.hpp"

#include <iostream>
#include <memory>

#include "models/import/import_checkpoint.hpp"
#include "tools/option_checks.hpp"

namespace seesay::tools {
namespace {

struct ImportCommand {
    std::string file;
    std::string folder;
    bool dry_run = false;
    import::ImportOptions options;
};

int run_import(const ImportCommand& command) {
    if (command.dry_run) {
        std::cout << import::explain_checkpoint(command.file, command.options).summary;
        return 0;
    }
    const import::ImportReport report =
        import::import_checkpoint(command.file, command.folder, command.options);
    std::cout << report.summary << "wrote " << command.folder << " (SHA-256 " << report.sha256
              << ")\n";
    return 0;
}

}  // namespace

void add_import_command(CLI::App& app, std::function<int()>& run) {
    auto command = std::make_shared<ImportCommand>();
    CLI::App* sub = app.add_subcommand("import", "Turn a public checkpoint into a model package");
    sub->footer(
        "Recognised by content: EfficientNet-Lite 0, 1 and 2; Up-Down, Att2in, Att2in2, NewFC and "
        "Transformer captioners\n(model.pth of ruotianluo/ImageCaptioning.pytorch, with "
        "--vocabulary infos.pkl or cocotalk.json); Show-Attend-Tell\n(checkpoint of sgrvinod's "
        "tutorial, with --vocabulary WORDMAP.json). Nothing in a file is executed.");
    sub->add_option("FILE", command->file, "PyTorch checkpoint (.pth)")->required();
    CLI::Option* output =
        sub->add_option("-o,--output", command->folder, "Folder of the new package");
    CLI::Option* dry_run = sub->add_flag(
        "--dry-run", command->dry_run, "Only say what the file holds and what would become of it");
    sub->add_option("--name", command->options.name,
                    "Name of the package (default: the folder's name)");
    sub->add_option("--prefix", command->options.prefix,
                    "Which network of a file that holds several, for example state_dict");
    sub->add_option("--vocabulary", command->options.vocabulary,
                    "Captioners: the file with their words");
    sub->add_option("--encoder", command->options.encoder,
                    "Captioners: the encoder package whose features they read");
    sub->add_flag("--force", command->options.replace, "Replace a package that is there already");
    output->excludes(dry_run);
    refuse_empty_values(*sub);
    sub->callback([command, &run] {
        if (command->folder.empty() && !command->dry_run) {
            throw CLI::RequiredError("-o PACKAGE (or --dry-run)");
        }
        run = [command] { return run_import(*command); };
    });
}

}  // namespace seesay::tools
