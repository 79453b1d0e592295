// Manifests, figures and cards.
#include "models/training/trained_packages.hpp"

#include <filesystem>

#include "models/language/decoding.hpp"
#include "models/training/encoder_source.hpp"
#include "models/training/model_card.hpp"
#include "models/training/network_captioner.hpp"

namespace seesay::training {
namespace {

nlohmann::json provenance(const TrainedRun& run) {
    return {{"data", run.options.data_name},
            {"data_terms", run.options.data_terms},
            {"training_pictures", run.data.training.size()},
            {"held_out_pictures", run.data.held_out.size()},
            {"captions_left_out", run.data.captions_left_out},
            {"recipe", run.options.training.to_json()},
            {"command", run.options.command},
            {"best_epoch", run.best_epoch},
            {"held_out", run.held_out_scores}};
}

// Figures on the evaluation list, greedy and with the default beam; null without a list.
nlohmann::json evaluation_figures(const TrainedRun& run, const language::Captioner& captioner,
                                  const PictureProgress& progress) {
    if (run.data.evaluation_pictures == 0 || run.options.data.evaluation_list.empty()) {
        return nullptr;
    }
    EvaluationOptions evaluation;
    evaluation.images = run.options.data.images;
    evaluation.captions = run.options.data.captions;
    evaluation.list = run.options.data.evaluation_list;
    evaluation.package = std::filesystem::absolute(run.encoder.folder()).string();
    evaluation.device = run.options.device;
    evaluation.threads = run.options.training.threads;
    const EvaluationSet set(evaluation, progress);
    nlohmann::json figures = nlohmann::json::array();
    for (const int beam : {1, run.options.decoding.beam}) {
        auto decoding = run.options.decoding;
        decoding.beam = beam;
        const auto scores = set.run(captioner, decoding).scores;
        figures.push_back({{"beam", beam},
                           {"images", run.data.evaluation_pictures},
                           {"BLEU-1", scores.bleu[0]},
                           {"BLEU-2", scores.bleu[1]},
                           {"BLEU-3", scores.bleu[2]},
                           {"BLEU-4", scores.bleu[3]},
                           {"ROUGE-L", scores.rouge_l},
                           {"CIDEr-D", scores.cider_d},
                           {"CIDEr", scores.cider}});
        if (beam == run.options.decoding.beam) {
            break;
        }
    }
    return figures;
}

}  // namespace

void write_captioner(const TrainedRun& run, const std::vector<weights::NamedTensor>& tensors,
                     const PictureProgress& progress) {
    const TrainingRunOptions& options = run.options;
    std::vector<weights::NamedTensor> halves;
    for (const auto& tensor : tensors) {
        halves.push_back(to_half(tensor));
    }
    nlohmann::json manifest{
        {"kind", "captioner"},
        {"name", options.name},
        {"architecture", run.network.architecture},
        {"language", options.data.language},
        {"sizes", run.network.sizes},
        {"options", run.network.options},
        {"encoder", {{"name", run.encoder.name()}, {"sha256", run.encoder.sha256()}}},
        {"decoding", language::to_json(options.decoding)},
        {"provenance", provenance(run)},
        {"licence", "MIT (weights); see README.md for the terms of the training data"}};
    const auto captioner =
        captioner_of(run.network, halves, run.vocabulary, options.decoding,
                     {options.name, "", run.encoder.name(), run.encoder.sha256()});
    const auto figures = evaluation_figures(run, *captioner, progress);
    manifest["provenance"]["evaluation"] = figures;
    const std::string card =
        model_card({options, manifest, run.data, figures, run.best_epoch, run.encoder.manifest()});
    weights::write_package(options.output, manifest, halves,
                           {{"README.md", card}, {"vocabulary.json", run.vocabulary.to_json()}},
                           options.replace);
}

void write_tuned_encoder(const TrainedRun& run, const std::vector<weights::NamedTensor>& tensors) {
    const TrainingRunOptions& options = run.options;
    nlohmann::json manifest = run.encoder.manifest();
    manifest["name"] = options.encoder_output.filename().string();
    manifest["provenance"]["tuned_from"] = {{"name", run.encoder.name()},
                                            {"sha256", run.encoder.sha256()}};
    manifest["provenance"]["tuned_with"] = provenance(run);
    manifest.erase("files");
    manifest.erase("sha256");
    std::vector<std::pair<std::string, std::string>> texts{
        {"README.md", tuned_encoder_card(options, run.encoder)}};
    // Licences ask to be passed on with what is made from their work.
    if (run.encoder.manifest().at("files").contains("LICENSE")) {
        texts.emplace_back("LICENSE", run.encoder.read_text("LICENSE"));
    }
    weights::write_package(options.encoder_output, manifest, tensors, texts, options.replace);
}

}  // namespace seesay::training
