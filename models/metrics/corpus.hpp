// The shape every corpus metric expects: one candidate an image, at least one reference.
#pragma once

#include <cstddef>
#include <vector>

#include "models/metrics/ngrams.hpp"

namespace seesay::metrics {

/// Throws seesay::Error if there is no image, the numbers differ or an image has no reference.
void check_corpus(std::size_t candidates, const std::vector<std::vector<Sentence>>& references);

double mean(const std::vector<double>& values);

}  // namespace seesay::metrics
