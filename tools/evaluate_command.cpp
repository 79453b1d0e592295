// Options and output of `seesay evaluate`.
#include "tools/evaluate_command.hpp"

#include <memory>
#include <string>
#include <vector>

#include "models/training/evaluation.hpp"
#include "models/weights/strict_json.hpp"
#include "tools/openmp_policy.hpp"
#include "tools/option_checks.hpp"
#include "tools/progress_line.hpp"
#include "tools/score_table.hpp"

namespace seesay::tools {
namespace {

struct EvaluateOptions {
    training::EvaluationOptions evaluation;
    std::vector<std::string> packages;  ///< to compare
    int beam = 0;
    double length_exponent = -1;
    std::string decoding;
    std::string place;
    std::string json;
    bool quiet = false;
    bool captions = false;
};

training::EvaluationOptions evaluation_of(const EvaluateOptions& options) {
    auto evaluation = options.evaluation;
    if (options.beam > 0) {
        evaluation.beam = options.beam;
    }
    if (options.length_exponent >= 0) {
        evaluation.length_exponent = options.length_exponent;
    }
    if (!options.decoding.empty()) {
        evaluation.decoding = weights::parse_strict_json(options.decoding, "--decoding");
    }
    if (!options.place.empty()) {
        evaluation.network = {{"place", options.place}};
    }
    return evaluation;
}

nlohmann::ordered_json document_of(const training::Evaluation& result, bool with_captions) {
    auto document = scores_as_json(result.scores);
    document["beam"] = result.decoding.beam;
    document["package"] = {{"name", result.package_name}, {"sha256", result.package_sha256}};
    if (with_captions) {
        auto& captions = document["captions"];
        for (std::size_t i = 0; i < result.images.size(); ++i) {
            captions[result.images[i]] = result.captions[i];
        }
    }
    return document;
}

int evaluate(const EvaluateOptions& options) {
    require_json_output(options.json, {options.evaluation.captions, options.evaluation.list});
    set_openmp_policy(OpenMpUse::Training);
    std::vector<training::Evaluation> results;
    {
        ProgressLine progress(options.quiet);
        const auto show = [&](auto done, auto all) { progress.show("pictures", done, all); };
        const auto packages = options.packages.empty()
                                  ? std::vector<std::string>{options.evaluation.package}
                                  : options.packages;
        results = training::compare(evaluation_of(options), packages, show);
    }
    if (options.packages.empty()) {
        report_scores(results.front().scores, document_of(results.front(), options.captions),
                      options.json);
        return 0;
    }
    std::vector<ComparedScores> rows;
    auto documents = nlohmann::ordered_json::array();
    for (const auto& result : results) {
        rows.push_back(
            {result.package_name, result.architecture, result.decoding.beam, result.scores});
        documents.push_back(document_of(result, options.captions));
        documents.back()["architecture"] = result.architecture;
    }
    report_comparison(rows, documents, options.json);
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
    auto* package =
        command->add_option("--package", evaluation.package, "Captioner package: a name or a path")
            ->capture_default_str();
    command
        ->add_option("--compare", options->packages,
                     "Several captioner packages, one row of a table each")
        ->excludes(package);
    command->add_option("--beam", options->beam, "Beam width, 1 is greedy (default: the package's)")
        ->check(CLI::Range(1, 100));
    command
        ->add_option("--length-exponent", options->length_exponent,
                     "Sentences rank by log-probability / length^exponent (default: the package's)")
        ->check(number_within(0.0, 5.0, "from 0 to 5"));
    command->add_option(
        "--decoding", options->decoding,
        "Further decoding options as in model.json, for example {\"bad_endings\": [\"a\"]}");
    command
        ->add_option("--place", options->place,
                     "Show-Attend-Tell: look at the expectation over the places, or at the "
                     "most_likely one (default: the package's)")
        ->check(CLI::IsMember({"expectation", "most_likely"}));
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
