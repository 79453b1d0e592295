// BLEU-1…4 as coco-caption computes it (Papineni et al. 2002, closest reference length).
#pragma once

#include <array>
#include <vector>

#include "models/metrics/ngrams.hpp"

namespace seesay::metrics {

/// BLEU-1…4, each from 0 to 1.
using Bleu = std::array<double, kLongestNGram>;

struct BleuScores {
    Bleu corpus{};             ///< from counts summed over all images; not the mean of the images'
    std::vector<Bleu> images;  ///< the same formula on each image alone
};

/// One candidate an image, any number ≥ 1 of references.
/// Clipped counts (maximum over the references) and reference lengths closest to the candidate's
/// (of two equally close the shorter) are summed over the corpus; BLEU-n is the geometric mean of
/// the precisions times exp(1 − reference/candidate) where candidates are shorter in all.
/// Errors: sizes differ, no image, or an image without references.
BleuScores bleu(const std::vector<Sentence>& candidates,
                const std::vector<std::vector<Sentence>>& references);

}  // namespace seesay::metrics
