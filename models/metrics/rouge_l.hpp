// ROUGE-L as coco-caption computes it (Lin 2004): longest common subsequences.
#pragma once

#include <vector>

#include "models/metrics/ngrams.hpp"

namespace seesay::metrics {

struct RougeLScores {
    double corpus = 0;           ///< mean over the images
    std::vector<double> images;  ///< 0…1 each
};

/// F-measure with β = 1.2, so that recall counts more; precision and recall are each the best over
/// the references, not necessarily of the same one. A sentence without tokens counts as one empty
/// token, as in coco-caption.
double sentence_rouge_l(const Sentence& candidate, const std::vector<Sentence>& references);

/// Errors: sizes differ, no image, or an image without references.
RougeLScores rouge_l(const std::vector<Sentence>& candidates,
                     const std::vector<std::vector<Sentence>>& references);

}  // namespace seesay::metrics
