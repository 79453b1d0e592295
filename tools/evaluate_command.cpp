// Options and output of `seesay evaluate`.
#include "tools/evaluate_command.hpp"

#include <memory>
#include <string>

#include "models/training/evaluation.hpp"
#include "tools/openmp_policy.hpp"
#include "tools/option_checks.hpp"
#include "tools/progress_line.hpp"
#include "tools/score_table.hpp"

namespace seesay::tools {
namespace {

struct EvaluateOptions {
    training::EvaluationOptions evaluation;
    int beam = 0;
    double length_exponent = -1;
    std::string json;
    bool quiet = false;
    bool captions = false;
};

int evaluate(const EvaluateOptions& options) {
    require_json_output(options.json, {options.evaluation.captions, options.evaluation.list});
    set_openmp_policy(OpenMpUse::Training);
    auto evaluation = options.evaluation;
    if (options.beam > 0) {
        evaluation.beam = options.beam;
    }
    if (options.length_exponent >= 0) {
        evaluation.length_exponent = options.length_exponent;
    }
    training::Evaluation result;
    {
        ProgressLine progress(options.quiet);
        result = training::evaluate(
            evaluation, [&](auto done, auto all) { progress.show("pictures", done, all); });
    }
    auto document = scores_as_json(result.scores);
    document["beam"] = result.decoding.beam;
    document["package"] = {{"name", result.package_name}, {"sha256", result.package_sha256}};
    if (options.captions) {
        auto& captions = document["captions"];
        for (std::size_t i = 0; i < result.images.size(); ++i) {
            captions[result.images[i]] = result.captions[i];
        }
    }
    report_scores(result.scores, document, options.json);
    return 0;
}

}  // namespace

void add_evaluate_command(CLI::App& app, std::function<int()>& run) {
    auto options = std::make_shared<EvaluateOptions>();
    auto& evaluation = options->evaluation;
    CLI::App* command = app.add_subcommand("evaluate", "Caption a data set and score the captions");
    command->add_option("--images", evaluation.images, "Folder with the pictures")
        ->required()
        ->check(CLI::ExistingDirectory);
    command
        ->add_option("--captions", evaluation.captions,
                     "Reference captions: TSV (image, tab, caption), Karpathy JSON or COCO JSON")
        ->required()
        ->check(CLI::ExistingFile);
    command
        ->add_option("--list", evaluation.list,
                     "Names of the pictures to use, one a line (default: all)")
        ->check(CLI::ExistingFile);
    command->add_option("--package", evaluation.package, "Captioner package: a name or a path")
        ->capture_default_str();
    command->add_option("--beam", options->beam, "Beam width, 1 is greedy (default: the package's)")
        ->check(CLI::Range(1, 100));
    command
        ->add_option("--length-exponent", options->length_exponent,
                     "Sentences rank by log-probability / length^exponent (default: the package's)")
        ->check(number_within(0.0, 5.0, "from 0 to 5"));
    refuse_nothing(command->add_option("--json", options->json,
                                       "Write the figures as JSON; - is standard output"));
    command->add_flag("--with-captions", options->captions,
                      "Write each picture's caption into the JSON too");
    command->add_option("--device", evaluation.device, "auto, cpu, cuda or cuda:N")
        ->capture_default_str();
    command->add_option("--threads", evaluation.threads, "CPU threads; 0: one a core")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    command->add_flag("--quiet", options->quiet, "No progress");
    command->callback([options, &run] { run = [options] { return evaluate(*options); }; });
}

}  // namespace seesay::tools
