// All caption metrics at once, from raw captions: what train, evaluate and score print.
#pragma once

#include <string>
#include <vector>

#include "models/metrics/bleu.hpp"
#include "models/metrics/ngrams.hpp"

namespace seesay::metrics {

/// BLEU and ROUGE-L from 0 to 1, both CIDErs as coco-caption scales them (0…10).
struct ImageScores {
    Bleu bleu{};         ///< BLEU-1…4
    double rouge_l = 0;  ///< ROUGE-L, β = 1.2
    double cider_d = 0;  ///< what coco-caption prints as "CIDEr"
    double cider = 0;    ///< the paper's: stems, no clipping, no length penalty
};

struct CaptionScores {
    Bleu bleu{};
    double rouge_l = 0;
    double cider_d = 0;
    double cider = 0;
    std::vector<ImageScores> images;  ///< in the order of the candidates
};

/// The references of an evaluation, tokenised once and scored against as often as wanted.
class ReferenceSet {
 public:
    /// `references`: raw captions (UTF-8), at least one for each image.
    explicit ReferenceSet(const std::vector<std::vector<std::string>>& references);

    /// From captions that are tokens already.
    static ReferenceSet of_tokens(std::vector<std::vector<Sentence>> tokens);

    std::size_t images() const { return tokens_.size(); }
    const std::vector<std::vector<Sentence>>& tokens() const { return tokens_; }

    /// `candidates`: one raw caption an image, in the order of the references.
    CaptionScores score(const std::vector<std::string>& candidates) const;

    CaptionScores score_tokens(const std::vector<Sentence>& candidates) const;

 private:
    ReferenceSet() = default;

    std::vector<std::vector<Sentence>> tokens_;
};

/// One raw candidate an image against that image's raw references. Errors: sizes differ, no image,
/// or an image without references.
CaptionScores evaluate(const std::vector<std::string>& candidates,
                       const std::vector<std::vector<std::string>>& references);

}  // namespace seesay::metrics
