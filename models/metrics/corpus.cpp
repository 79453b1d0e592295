// Checks on the shape of a corpus, and the mean over its images.
#include "models/metrics/corpus.hpp"

#include <numeric>
#include <string>

#include "models/error.hpp"

namespace seesay::metrics {

void check_corpus(std::size_t candidates, const std::vector<std::vector<Sentence>>& references) {
    if (candidates != references.size())
        throw Error("cannot score captions: " + std::to_string(candidates) +
                    " candidates, but references for " + std::to_string(references.size()) +
                    " images; give one candidate an image");
    if (candidates == 0) throw Error("cannot score captions: there is no image to score");
    for (std::size_t i = 0; i < references.size(); ++i) {
        if (references[i].empty())
            throw Error("cannot score captions: image number " + std::to_string(i + 1) +
                        " has no reference caption");
    }
}

double mean(const std::vector<double>& values) {
    if (values.empty()) return 0.0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace seesay::metrics
