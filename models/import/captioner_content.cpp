// Manifests and cards of imported captioners.
#include "models/import/captioner_content.hpp"

#include "models/error.hpp"
#include "models/language/decoding.hpp"
#include "models/weights/encoder_reference.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/printable.hpp"

namespace seesay::import {
namespace {

constexpr std::size_t kShownNames = 8;

std::string card_of(const ImportedCaptioner& captioner, const std::string& name,
                    const CheckpointSource& checkpoint, const CheckpointSource& words,
                    const EncoderReference& encoder) {
    std::string text = "# ";
    text.append(name)
        .append("\n\n")
        .append(captioner.family)
        .append(
            ", imported from a checkpoint without changing its numbers (float32). It reads the "
            "features of `")
        .append(encoder.name)
        .append(
            "`; its captions are right only if these are the features that it was trained "
            "on.\n\n| file | SHA-256 |\n|---|---|\n");
    for (const auto* source : {&checkpoint, &words}) {
        text.append("| `")
            .append(source->file)
            .append("` | `")
            .append(source->sha256)
            .append("` |\n");
    }
    return text.append(
        "\nSentences are searched as the repository does by default (beam search by the sum of "
        "log-probabilities); the options are in model.json.\n\nTerms: those of the checkpoint's "
        "authors and of their training data.\n");
}

}  // namespace

EncoderReference encoder_reference(const std::string& argument,
                                   const ImportedCaptioner& captioner) {
    const auto encoder =
        weights::open_encoder_of(weights::ModelPackage::open(weights::find_package(argument)));
    const auto found = encoder.manifest().at("features").at("dimension").get<std::int64_t>();
    const auto needed = captioner.sizes.at("features").get<std::int64_t>();
    if (found != needed) {
        throw Error("encoder " + encoder.name() + " gives vectors of " + std::to_string(found) +
                    " numbers; this captioner reads vectors of " + std::to_string(needed));
    }
    return {encoder.name(), encoder.sha256()};
}

PackageContent captioner_package(const ImportedCaptioner& captioner, const std::string& name,
                                 const CheckpointSource& checkpoint, const CheckpointSource& words,
                                 const EncoderReference& encoder) {
    PackageContent content;
    content.architecture = captioner.architecture;
    content.tensors = captioner.tensors;
    content.manifest = {{"kind", "captioner"},
                        {"name", name},
                        {"architecture", captioner.architecture},
                        {"language", captioner.vocabulary.language()},
                        {"sizes", captioner.sizes},
                        {"options", captioner.options},
                        {"encoder", {{"name", encoder.name}, {"sha256", encoder.sha256}}},
                        {"decoding", language::to_json(captioner.decoding)},
                        {"provenance",
                         {{"source", captioner.family},
                          {"file", checkpoint.file},
                          {"file_sha256", checkpoint.sha256},
                          {"vocabulary_file", words.file},
                          {"vocabulary_sha256", words.sha256},
                          {"changes", "tensors renamed; words that cannot be said added"}}},
                        {"licence", "that of the checkpoint's authors"}};
    content.text_files = {{"README.md", card_of(captioner, name, checkpoint, words, encoder)},
                          {"vocabulary.json", captioner.vocabulary.to_json()}};
    content.notes.push_back(captioner.family + ", " + std::to_string(captioner.vocabulary.size()) +
                            " words, for vectors of " + captioner.sizes.at("features").dump() +
                            " numbers");
    if (!captioner.unused.empty()) {
        std::string names;
        for (std::size_t i = 0; i < std::min(captioner.unused.size(), kShownNames); ++i) {
            names.append(i == 0 ? "" : ", ").append(weights::printable(captioner.unused[i]));
        }
        if (captioner.unused.size() > kShownNames) {
            names += " and " + std::to_string(captioner.unused.size() - kShownNames) + " more";
        }
        content.notes.push_back("not used: " + names);
    }
    return content;
}

}  // namespace seesay::import
