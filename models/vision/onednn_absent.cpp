// Stands in for onednn_network.cpp in builds without oneDNN.
#include "models/error.hpp"
#include "models/vision/onednn_network.hpp"

namespace seesay::vision {

bool has_onednn() {
    return false;
}

bool onednn_runs_bf16() {
    return false;
}

std::string onednn_version() {
    return {};
}

std::unique_ptr<FeatureNetwork> make_onednn_network(const FoldedNetwork& /*network*/,
                                                    const Preprocessing& /*preprocessing*/,
                                                    Precision /*precision*/) {
    throw Error("this seesay was built without oneDNN; install libdnnl-dev and build again");
}

}  // namespace seesay::vision
