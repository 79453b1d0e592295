// `seesay score`: caption metrics of a captions file against reference captions.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "models/metrics/caption_files.hpp"

namespace seesay::tools {

/// Registers `score`; when it is chosen, `run` becomes its work, which returns the exit code.
void add_score_command(CLI::App& app, std::function<int()>& run);

/// One candidate and the references of each image that is scored.
struct CaptionPairs {
    std::vector<std::string> images;
    std::vector<std::string> candidates;
    std::vector<std::vector<std::string>> references;
};

/// Matches candidates with references by image name or COCO id: the images of `list` in its order,
/// or all that have references where `list` is empty. The file names are for the messages.
/// Errors: an image without a candidate, with several, or without references; without a list also
/// a candidate for an image that has no references.
CaptionPairs pair_captions(const metrics::CaptionFile& candidates,
                           const std::string& candidates_name,
                           const metrics::CaptionFile& references,
                           const std::string& references_name,
                           const std::vector<std::string>& list);

}  // namespace seesay::tools
