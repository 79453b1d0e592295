// CIDEr as the paper defines it (Vedantam, Zitnick, Parikh 2015, equations 1–3).
#pragma once

#include <vector>

#include "models/metrics/cider_d.hpp"

namespace seesay::metrics {

/// Mean over n = 1…4 and over the references of the TF-IDF cosine of stemmed words, without
/// clipping and without a length penalty, times 10 as coco-caption scales CIDEr-D.
/// Words are stemmed by the Snowball English stemmer. Documents are the scored images.
/// Errors: sizes differ, no image, or an image without references.
CiderScores cider(const std::vector<Sentence>& candidates,
                  const std::vector<std::vector<Sentence>>& references);

}  // namespace seesay::metrics
