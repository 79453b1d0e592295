// CIDEr-D, the value that coco-caption prints as "CIDEr" (Vedantam et al. 2015, section 5).
#pragma once

#include <vector>

#include "models/metrics/tf_idf.hpp"

namespace seesay::metrics {

struct CiderScores {
    double corpus = 0;           ///< mean over the images
    std::vector<double> images;  ///< 0…10 each; a human is near 0.8 on Flickr8k
};

/// CIDEr-D with document frequencies fixed once, for scoring single sentences over and over (the
/// reward of self-critical training). To let the end of a sentence count, put the end token into
/// documents, references and candidates alike.
class CiderD {
 public:
    /// An image's references, weighted once.
    using References = std::vector<TfIdfVectors>;

    /// `documents`: for each image of the training split its captions.
    explicit CiderD(const std::vector<std::vector<Sentence>>& documents)
        : frequencies_(documents) {}

    References prepare(const std::vector<Sentence>& references);

    /// Mean over n and over the references of the clipped cosine times exp(−Δ²/2σ²), times 10
    /// (σ = 6, Δ: difference in length). Prepared references must come from this object. Changes
    /// nothing: threads may share the object. 0 where there is no reference.
    double score(const Sentence& candidate, const References& references) const;

 private:
    DocumentFrequencies frequencies_;
};

/// Corpus CIDEr-D: the references of the scored images are the documents, so the value depends on
/// which images are scored; with one image every weight is log 1 = 0 and so is the score.
/// Errors: sizes differ, no image, or an image without references.
CiderScores cider_d(const std::vector<Sentence>& candidates,
                    const std::vector<std::vector<Sentence>>& references);

}  // namespace seesay::metrics
