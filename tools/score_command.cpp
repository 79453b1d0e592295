// `seesay score`: reads candidates and references, matches them and prints the metrics.
#include "tools/score_command.hpp"

#include <memory>

#include "models/error.hpp"
#include "models/metrics/caption_scores.hpp"
#include "tools/option_checks.hpp"
#include "tools/score_table.hpp"

namespace seesay::tools {
namespace {

using metrics::CaptionFile;

struct ScoreOptions {
    std::string candidates;
    std::string references;
    std::string list;
    std::string json;
};

/// The candidate entry for an image, by its name or by its COCO id.
const CaptionFile::Entry* candidate_of(const CaptionFile& candidates,
                                       const CaptionFile::Entry& image) {
    if (const auto* entry = candidates.find(image.image); entry != nullptr) return entry;
    return image.id.empty() ? nullptr : candidates.find(image.id);
}

/// Images that are named in a message: the first, and how many there are besides.
class Offenders {
 public:
    void add(const std::string& image) {
        if (count_++ == 0) first_ = image;
    }
    bool any() const { return count_ > 0; }
    std::string text() const {
        if (count_ == 1) return "image " + first_;
        return std::to_string(count_) + " images (the first is " + first_ + ")";
    }

 private:
    std::size_t count_ = 0;
    std::string first_;
};

std::vector<const CaptionFile::Entry*> scored_images(const CaptionFile& references,
                                                     const std::string& references_name,
                                                     const std::vector<std::string>& list) {
    std::vector<const CaptionFile::Entry*> images;
    Offenders unknown;
    if (list.empty()) {
        for (const CaptionFile::Entry& entry : references.entries())
            images.push_back(&entry);
    }
    for (const std::string& name : list) {
        images.push_back(references.find(name));
        if (images.back() == nullptr) unknown.add(name);
    }
    if (unknown.any())
        throw Error(references_name + " has no reference caption for " + unknown.text() +
                    " of the list");
    for (const CaptionFile::Entry* entry : images)
        if (entry->captions.empty()) unknown.add(entry->image);
    if (unknown.any())
        throw Error(references_name + " has no reference caption for " + unknown.text());
    return images;
}

int score(const ScoreOptions& options) {
    require_json_output(options.json, {options.candidates, options.references, options.list});
    const CaptionFile candidates = metrics::read_captions(options.candidates);
    const CaptionFile references = metrics::read_captions(options.references);
    std::vector<std::string> list;
    if (!options.list.empty()) list = metrics::read_image_list(options.list);
    const CaptionPairs pairs =
        pair_captions(candidates, options.candidates, references, options.references, list);
    const auto scores = metrics::evaluate(pairs.candidates, pairs.references);
    report_scores(scores, scores_as_json(scores), options.json);
    return 0;
}

}  // namespace

CaptionPairs pair_captions(const CaptionFile& candidates, const std::string& candidates_name,
                           const CaptionFile& references, const std::string& references_name,
                           const std::vector<std::string>& list) {
    const auto images = scored_images(references, references_name, list);
    CaptionPairs pairs;
    Offenders missing;
    Offenders duplicate;
    for (const CaptionFile::Entry* image : images) {
        const CaptionFile::Entry* candidate = candidate_of(candidates, *image);
        if (candidate == nullptr || candidate->captions.empty()) {
            missing.add(image->image);
            continue;
        }
        if (candidate->captions.size() > 1) duplicate.add(image->image);
        pairs.images.push_back(image->image);
        pairs.candidates.push_back(candidate->captions.front());
        pairs.references.push_back(image->captions);
    }
    if (duplicate.any())
        throw Error(candidates_name + " has more than one candidate for " + duplicate.text() +
                    "; keep one an image");
    if (missing.any())
        throw Error(candidates_name + " has no candidate for " + missing.text() +
                    (list.empty() ? "; to score only some images, name them with --list FILE"
                                  : "; add it or take the image off the list"));
    if (list.empty()) {
        Offenders unknown;
        for (const CaptionFile::Entry& candidate : candidates.entries())
            if (references.find(candidate.image) == nullptr) unknown.add(candidate.image);
        if (unknown.any())
            throw Error(references_name + " has no reference caption for " + unknown.text() +
                        " of " + candidates_name);
    }
    return pairs;
}

void add_score_command(CLI::App& app, std::function<int()>& run) {
    auto options = std::make_shared<ScoreOptions>();
    CLI::App* command = app.add_subcommand(
        "score", "Score captions against references: BLEU, ROUGE-L, CIDEr-D, CIDEr");
    command
        ->add_option("CANDIDATES", options->candidates,
                     "One caption an image: TSV (image, tab, caption) or COCO result JSON")
        ->required();
    command
        ->add_option("--captions", options->references,
                     "References: TSV (several lines an image), COCO annotation JSON or "
                     "Karpathy's JSON")
        ->required()
        ->type_name("REFERENCES");
    command
        ->add_option("--list", options->list,
                     "Score only these images: a file with one image name a line")
        ->type_name("FILE");
    command
        ->add_option("--json", options->json,
                     "Write the metrics as JSON too; - is standard output instead of the table")
        ->type_name("OUT");
    for (CLI::Option* option : command->get_options()) {
        if (option->get_items_expected_max() > 0) refuse_nothing(option);
    }
    command->callback([options, &run] { run = [options] { return score(*options); }; });
}

}  // namespace seesay::tools
