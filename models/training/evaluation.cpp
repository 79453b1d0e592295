// Encode, decode, score.
#include "models/training/evaluation.hpp"

#include <algorithm>
#include <map>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/metrics/caption_files.hpp"
#include "models/tensor/device.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/vision/image_file.hpp"
#include "models/vision/preprocessing.hpp"
#include "models/weights/encoder_reference.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;

// Enough hypotheses in a batch to keep matrix products large, few enough to stay in the caches.
constexpr std::size_t kPicturesAtOnce = 32;
constexpr std::size_t kEncodedAtOnce = 8;

std::vector<std::string> names_of(const EvaluationOptions& options,
                                  const metrics::CaptionFile& references) {
    if (!options.list.empty()) {
        return metrics::read_image_list(options.list);
    }
    std::vector<std::string> names;
    for (const auto& entry : references.entries()) {
        names.push_back(entry.image);
    }
    return names;
}

fs::path picture_file(const fs::path& images, const metrics::CaptionFile::Entry& entry) {
    const fs::path in_folder = images / entry.folder / entry.image;
    return !entry.folder.empty() && fs::is_regular_file(in_folder) ? in_folder
                                                                   : images / entry.image;
}

}  // namespace

std::vector<std::string> caption_all(const language::Captioner& captioner,
                                     const std::vector<vision::FeatureSet>& features,
                                     const language::DecodingOptions& options,
                                     const PictureProgress& progress) {
    std::vector<std::string> captions;
    captions.reserve(features.size());
    for (std::size_t begin = 0; begin < features.size(); begin += kPicturesAtOnce) {
        const std::size_t end = std::min(begin + kPicturesAtOnce, features.size());
        std::vector<const vision::FeatureSet*> batch;
        std::vector<language::SentenceTask> tasks;
        for (std::size_t i = begin; i < end; ++i) {
            language::SentenceTask task;
            task.picture = static_cast<int>(i - begin);
            task.options = options;
            tasks.push_back(task);
            batch.push_back(&features[i]);
        }
        const auto prepared = captioner.prepare(batch);
        const auto sentences = language::decode(captioner, *prepared, tasks);
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            captions.push_back(language::to_caption(captioner, *batch[i], sentences[i], 0).text);
        }
        if (progress) {
            progress(static_cast<std::int64_t>(end), static_cast<std::int64_t>(features.size()));
        }
    }
    return captions;
}

EvaluationSet::EvaluationSet(const EvaluationOptions& options, const PictureProgress& progress) {
    const auto references = metrics::read_captions(options.captions);
    names_ = names_of(options, references);
    const auto package = weights::open_encoder_of(
        weights::ModelPackage::open(weights::find_package(options.package)));
    vision::GridEncoderOptions how;
    how.device = options.device;
    how.threads = options.threads;
    how.precision = "fp32";
    const auto encoder = vision::GridEncoder::load(package, how);

    std::vector<std::vector<std::string>> captions;
    std::vector<fs::path> files;
    for (const auto& name : names_) {
        const auto* entry = references.find(name);
        if (entry == nullptr) {
            throw Error(options.captions.string() + ": no reference caption for the picture '" +
                        name + "'");
        }
        captions.push_back(entry->captions);
        files.push_back(picture_file(options.images, *entry));
    }
    references_.emplace(captions);

    features_.resize(names_.size());
    for (std::size_t begin = 0; begin < names_.size(); begin += kEncodedAtOnce) {
        const std::size_t count = std::min(kEncodedAtOnce, names_.size() - begin);
        std::vector<vision::Image> pictures;
        for (std::size_t i = 0; i < count; ++i) {
            const auto picture = vision::read_image(files[begin + i]);
            auto prepared = vision::preprocess(vision::view(picture), encoder->preprocessing());
            features_[begin + i].geometry.picture_box = prepared.picture_box;
            pictures.push_back(std::move(prepared.image));
        }
        encoder->encode(pictures, std::span(features_).subspan(begin, count));
        if (progress) {
            progress(static_cast<std::int64_t>(begin + count),
                     static_cast<std::int64_t>(names_.size()));
        }
    }
}

Evaluation EvaluationSet::run(const language::Captioner& captioner,
                              const language::DecodingOptions& decoding) const {
    Evaluation evaluation;
    evaluation.package_name = captioner.identity().name;
    evaluation.package_sha256 = captioner.identity().sha256;
    evaluation.decoding = decoding;
    evaluation.images = names_;
    evaluation.captions = caption_all(captioner, features_, decoding);
    evaluation.scores = references_->score(evaluation.captions);
    return evaluation;
}

Evaluation evaluate(const EvaluationOptions& options, const PictureProgress& progress) {
    return compare(options, {options.package}, progress).front();
}

std::vector<Evaluation> compare(const EvaluationOptions& options,
                                const std::vector<std::string>& packages,
                                const PictureProgress& progress) {
    std::vector<Evaluation> evaluations;
    std::map<std::string, EvaluationSet> sets;  // by the encoder's SHA-256
    for (const std::string& name : packages) {
        const auto package = weights::ModelPackage::open(weights::find_package(name));
        const auto captioner = language::load_captioner(package, options.network);
        auto asked = language::to_json(captioner->decoding_defaults());
        if (!options.decoding.is_null()) {
            asked.update(options.decoding);
        }
        auto decoding = language::read_decoding_options(asked, "the decoding options");
        decoding.beam = options.beam.value_or(decoding.beam);
        decoding.length_exponent = options.length_exponent.value_or(decoding.length_exponent);
        language::check(decoding);
        auto set = sets.find(captioner->identity().encoder_sha256);
        if (set == sets.end()) {
            EvaluationOptions of_package = options;
            of_package.package = name;
            set = sets.emplace(captioner->identity().encoder_sha256,
                               EvaluationSet(of_package, progress))
                      .first;
        }
        evaluations.push_back(set->second.run(*captioner, decoding));
        evaluations.back().architecture = package.architecture();
    }
    return evaluations;
}

}  // namespace seesay::training
