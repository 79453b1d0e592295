// The rival of the decoder benchmark: Show-Attend-Tell and beam search written straight down in
// LibTorch, as tutorials do it. The picture is projected anew at every step, hypotheses run one at
// a time, the whole vocabulary is sorted. Fixed: do not make it faster.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "models/language/decoding_options.hpp"
#include "models/language/vocabulary.hpp"
#include "models/vision/feature_set.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::bench {

class NaiveBeam {
 public:
    /// Of a `show-attend-tell` package. Throws Error.
    explicit NaiveBeam(const weights::ModelPackage& package);

    /// Token ids of the best sentence, without the end. Honours beam, length_exponent,
    /// maximum_length, suppress_unknown, forbid_repeats and block_ngrams.
    [[nodiscard]] std::vector<int> describe(const vision::FeatureSet& features,
                                            const language::DecodingOptions& options) const;

 private:
    struct State {
        at::Tensor hidden, cell;
    };
    [[nodiscard]] at::Tensor annotations(const at::Tensor& features) const;
    [[nodiscard]] State start(const at::Tensor& features) const;
    /// Log-probabilities `[V]` of the next word; `state` becomes the next one.
    [[nodiscard]] at::Tensor step(const at::Tensor& features, State& state, int word) const;

    language::Vocabulary vocabulary_;
    std::map<std::string, at::Tensor> weights_;
    bool projection_norm_ = false;
    bool tanh_output_ = false;
};

}  // namespace seesay::bench
