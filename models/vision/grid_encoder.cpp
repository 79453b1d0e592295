// Reads what the package says about itself, checks it, and chooses the path.
#include "models/vision/grid_encoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "models/error.hpp"
#include "models/tensor/device.hpp"
#include "models/tensor/threads.hpp"
#include "models/vision/folded_network.hpp"
#include "models/vision/onednn_network.hpp"
#include "models/vision/probe_pictures.hpp"
#include "models/vision/torch_network.hpp"

namespace seesay::vision {
namespace {

constexpr double wanted_agreement = 0.999;

struct Choice {
    std::unique_ptr<FeatureNetwork> network;
    double bf16_agreement = 1.0;
};

void check_word(const std::string& value, const std::string& option,
                std::initializer_list<const char*> allowed) {
    std::string list;
    for (const char* word : allowed) {
        if (value == word) return;
        list += (list.empty() ? "" : ", ") + std::string(word);
    }
    throw Error(option + " \"" + value + "\" is not one of " + list);
}

void check_manifest(const weights::ModelPackage& package, const FoldedNetwork& network) {
    const nlohmann::json& manifest = package.manifest();
    const std::string origin = (package.folder() / "model.json").string();
    if (manifest.value("padding", "") != "same") {
        throw Error(origin + ": padding must be \"same\" for " + package.architecture());
    }
    const nlohmann::json sizes = manifest.value("sizes", nlohmann::json::object());
    if (sizes.contains("batch_norm_epsilon") &&
        sizes["batch_norm_epsilon"] != efficientnet_lite_epsilon) {
        throw Error(origin + ": sizes.batch_norm_epsilon must be 0.001 for " +
                    package.architecture());
    }
    const nlohmann::json features = manifest.value("features", nlohmann::json::object());
    const nlohmann::json computed = {{"kind", "grid"},
                                     {"rows", network.rows()},
                                     {"columns", network.columns()},
                                     {"dimension", network.dimension()}};
    if (features != computed) {
        throw Error(origin + ": features are " + features.dump() + ", but the network gives " +
                    computed.dump());
    }
}

// Mean vectors of pictures, `[count][dimension]`.
std::vector<std::vector<double>> pooled(FeatureNetwork& network, std::span<const Image> pictures,
                                        int places, int dimension) {
    std::vector<float> vectors(pictures.size() * places * dimension);
    network.forward(pictures, vectors.data());
    std::vector<std::vector<double>> means(pictures.size(), std::vector<double>(dimension));
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        means[i / (static_cast<std::size_t>(places) * dimension)][i % dimension] += vectors[i];
    }
    return means;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0.0;
}

double agreement(FeatureNetwork& exact, FeatureNetwork& fast, const weights::ModelPackage& package,
                 const FoldedNetwork& network) {
    const nlohmann::json& probes = package.manifest().at("probes");
    const auto pictures =
        probe_pictures(probes.at("seed").get<std::uint64_t>(), probes.at("count").get<int>(),
                       network.width, network.height);
    const int places = network.rows() * network.columns();
    const auto a = pooled(exact, pictures, places, network.dimension());
    const auto b = pooled(fast, pictures, places, network.dimension());
    double lowest = 1.0;
    for (std::size_t i = 0; i < pictures.size(); ++i)
        lowest = std::min(lowest, cosine(a[i], b[i]));
    return lowest;
}

Choice choose_onednn(const weights::ModelPackage& package, const FoldedNetwork& network,
                     const Preprocessing& preprocessing, const std::string& precision) {
    if (precision == "bf16") {
        if (!onednn_runs_bf16()) {
            throw Error(
                "precision bf16: this processor does not compute in bfloat16; use fp32 or auto");
        }
        return {make_onednn_network(network, preprocessing, Precision::Bf16)};
    }
    Choice choice{make_onednn_network(network, preprocessing, Precision::Fp32)};
    if (precision == "auto" && onednn_runs_bf16()) {
        auto fast = make_onednn_network(network, preprocessing, Precision::Bf16);
        choice.bf16_agreement = agreement(*choice.network, *fast, package, network);
        if (choice.bf16_agreement >= wanted_agreement) choice.network = std::move(fast);
    }
    return choice;
}

Choice choose(const weights::ModelPackage& package, const EfficientNetLiteSizes& sizes,
              const FoldedNetwork& network, const Preprocessing& preprocessing,
              const GridEncoderOptions& options) {
    const at::Device device = tensor::parse_device(options.device);
    const bool onednn =
        options.path == "onednn" || (options.path == "auto" && device.is_cpu() && has_onednn());
    if (onednn) {
        if (!device.is_cpu())
            throw Error("path onednn computes on the CPU, not on " + device.str());
        return choose_onednn(package, network, preprocessing, options.precision);
    }
    if (options.precision == "bf16")
        throw Error("precision bf16 needs oneDNN on a CPU; use fp32 or auto");
    if (options.path == "eager")
        return {make_eager_network(sizes, package.tensors(), preprocessing, device)};
    return {make_script_network(network, preprocessing, device)};
}

}  // namespace

std::unique_ptr<GridEncoder> GridEncoder::load(const weights::ModelPackage& package,
                                               const GridEncoderOptions& options) {
    check_word(options.precision, "precision", {"auto", "fp32", "bf16"});
    check_word(options.path, "path", {"auto", "onednn", "torchscript", "eager"});
    if (package.kind() != weights::PackageKind::Encoder) {
        throw Error(package.folder().string() + ": a captioner package where an encoder is needed");
    }
    std::unique_ptr<GridEncoder> encoder(new GridEncoder);
    encoder->threads_ = tensor::resolve_threads(options.threads);
    const tensor::ThreadScope threads(encoder->threads_);
    encoder->name_ = package.name();
    encoder->sha256_ = package.sha256();
    encoder->preprocessing_ =
        parse_preprocessing(package.manifest().value("preprocessing", nlohmann::json::object()),
                            (package.folder() / "model.json").string());
    const EfficientNetLiteSizes sizes = efficientnet_lite_sizes(package.architecture());
    const FoldedNetwork network = fold(sizes, package.tensors(), encoder->preprocessing_.height,
                                       encoder->preprocessing_.width);
    check_manifest(package, network);
    encoder->rows_ = network.rows();
    encoder->columns_ = network.columns();
    encoder->dimension_ = network.dimension();
    Choice choice = choose(package, sizes, network, encoder->preprocessing_, options);
    encoder->network_ = std::move(choice.network);
    encoder->bf16_agreement_ = choice.bf16_agreement;
    return encoder;
}

void GridEncoder::encode(std::span<const Image> pictures, float* vectors) {
    const auto bytes = std::size_t{3} * preprocessing_.width * preprocessing_.height;
    for (const Image& picture : pictures) {
        if (picture.width != preprocessing_.width || picture.height != preprocessing_.height ||
            picture.pixels.size() != bytes) {
            throw Error("encoder " + name_ + " takes pictures of " +
                        std::to_string(preprocessing_.width) + "x" +
                        std::to_string(preprocessing_.height) + " pixels, not " +
                        std::to_string(picture.width) + "x" + std::to_string(picture.height));
        }
    }
    const tensor::ThreadScope threads(threads_);
    network_->forward(pictures, vectors);
}

void GridEncoder::encode(std::span<const Image> pictures, std::span<FeatureSet> features) {
    if (pictures.size() != features.size())
        throw Error("as many feature sets as pictures are needed");
    const std::size_t floats = static_cast<std::size_t>(rows_) * columns_ * dimension_;
    std::vector<float> vectors(pictures.size() * floats);
    const auto start = std::chrono::steady_clock::now();
    encode(pictures, vectors.data());
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        FeatureSet& set = features[i];
        set.count = rows_ * columns_;
        set.dimension = dimension_;
        const auto first = vectors.begin() + static_cast<std::ptrdiff_t>(i * floats);
        set.vectors.assign(first, first + static_cast<std::ptrdiff_t>(floats));
        set.geometry.kind = Geometry::Kind::Grid;
        set.geometry.rows = rows_;
        set.geometry.columns = columns_;
        set.encoder_name = name_;
        set.encoder_sha256 = sha256_;
        set.inference_ns = took.count() / static_cast<std::int64_t>(pictures.size());
    }
}

}  // namespace seesay::vision
