// The text of model cards.
#include "models/training/model_card.hpp"

#include <sstream>

#include "models/language/architectures.hpp"

namespace seesay::training {
namespace {

// Three decimals without the locale's help.
std::string decimals(double value) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.setf(std::ios::fixed);
    text.precision(3);
    text << value;
    return text.str();
}

std::string figures_table(const nlohmann::json& figures) {
    std::string text =
        "| beam | BLEU-1 | BLEU-2 | BLEU-3 | BLEU-4 | ROUGE-L | CIDEr-D | CIDEr "
        "|\n|---|---|---|---|---|---|---|---|\n";
    for (const auto& row : figures) {
        text += "| " + std::to_string(row.at("beam").get<int>());
        for (const char* key :
             {"BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr-D", "CIDEr"}) {
            text += " | " + decimals(row.at(key).get<double>());
        }
        text += " |\n";
    }
    return text;
}

std::string description_of(const std::string& architecture) {
    for (const auto& known : language::architectures()) {
        if (known.name == architecture) {
            return known.description;
        }
    }
    return architecture;
}

// Where the encoder's weights come from, and under which licence.
std::string backbone_notice(const nlohmann::json& encoder) {
    std::string text = "`";
    text.append(encoder.at("name").get<std::string>()).append("`");
    if (encoder.contains("provenance") && encoder["provenance"].contains("original")) {
        text.append(": ").append(encoder["provenance"]["original"].get<std::string>());
    }
    text.append(". Licence of its weights: ").append(encoder.value("licence", "not stated"));
    return text.append("; the notice is in that package's README.md.\n");
}

}  // namespace

std::string model_card(const ModelCardFacts& facts) {
    const auto& training = facts.options.training;
    std::ostringstream card;
    card.imbue(std::locale::classic());
    card << "# " << facts.options.name << "\n\n"
         << description_of(training.network.architecture)
         << (training.hard_attention.drawn > 0 ? "; trained with hard attention" : "")
         << ".\n\nA captioner in the language `" << facts.options.data.language
         << "` for the grid features of `" << facts.manifest["encoder"]["name"].get<std::string>()
         << "`.\n\n"
         << "## Data\n\n"
         << facts.options.data_name << ": " << facts.data.training.size()
         << " pictures to train on, " << facts.data.held_out.size()
         << " held out to choose the epoch (" << facts.best_epoch << " of " << training.epochs
         << ")";
    if (facts.data.evaluation_pictures > 0) {
        card << "; " << facts.data.evaluation_pictures << " evaluation pictures never seen, and "
             << facts.data.captions_left_out
             << " training captions that equal an evaluation caption left out";
    }
    card << ".\n\nTerms: " << facts.options.data_terms << "\n\n";
    if (!facts.figures.is_null()) {
        card << "## Figures on the evaluation pictures\n\n"
             << facts.figures[0].at("images")
             << " pictures, coco-caption tokenisation, length exponent "
             << decimals(facts.options.decoding.length_exponent)
             << ", weights as in this package (float16).\n\n"
             << figures_table(facts.figures) << "\n";
    }
    card << "## Recipe\n\n```\n" << facts.options.command << "\n```\n\n";
    if (training.objective == Objective::SelfCritical) {
        card << "Self-critical sequence training (Rennie et al. 2017) of `" << facts.options.initial
             << "` (SHA-256 " << training.initial_sha256.substr(0, 12) << "…).\n\n";
    } else if (!training.initial_sha256.empty()) {
        card << "Cross-entropy training that started from `" << facts.options.initial
             << "` (SHA-256 " << training.initial_sha256.substr(0, 12) << "…).\n\n";
    }
    card << "Pictures reach the encoder squeezed to a square, as in the data.\n";
    card << "\n## Backbone\n\n" << backbone_notice(facts.encoder);
    return card.str();
}

std::string tuned_encoder_card(const TrainingRunOptions& options,
                               const weights::ModelPackage& original) {
    std::ostringstream card;
    card.imbue(std::locale::classic());
    card << "# " << options.encoder_output.filename().string() << "\n\n"
         << "`" << original.name() << "` (" << original.architecture()
         << ") with the convolutions from block " << options.fine_tune_from
         << " on tuned together with a captioner on " << options.data_name
         << ". BatchNorm and everything below are unchanged.\n\nTerms of the data: "
         << options.data_terms << "\n\n## Recipe\n\n```\n"
         << options.command << "\n```\n\n## Backbone\n\n"
         << backbone_notice(original.manifest())
         << "\nThe weights of this package were changed from the original ones as said above.\n";
    // The original's own notice, which has to stay with what is made from it.
    const std::string card_of_original = original.manifest().at("files").contains("README.md")
                                             ? original.read_text("README.md")
                                             : std::string();
    if (const auto notice = card_of_original.find("## Licence and notice");
        notice != std::string::npos) {
        card << "\n" << card_of_original.substr(notice);
    }
    return card.str();
}

}  // namespace seesay::training
