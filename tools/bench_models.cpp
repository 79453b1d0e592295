// Encoder and decoder against what a plain port would do.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/tensor/threads.hpp"
#include "models/vision/encoder_bench.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/vision/probe_pictures.hpp"
#include "models/weights/encoder_reference.hpp"
#include "models/weights/model_package.hpp"
#include "tests/bench/naive_beam.hpp"
#include "tools/bench_parts.hpp"

namespace seesay::tools {
namespace {

constexpr double kEncoderTarget = 0.5;
constexpr double kDecoderTarget = 0.4;

double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace

std::string decimals(double value, int digits) {
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr;
    return {text, end};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

BenchLines bench_encoder_part(const BenchOptions& options) {
    const auto package = weights::open_encoder_of(
        weights::ModelPackage::open(weights::find_package(options.package)));
    BenchLines lines;
    for (const int threads : {1, 2}) {
        const auto bench = vision::bench_encoder(package, threads, 10 * options.rounds);
        BenchLine line{"encoder",
                       bench.chosen.path + " against eager LibTorch with BatchNorm, " +
                           std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
                       bench.ratio,
                       "",
                       true,
                       decimals(bench.chosen.median_ms, 1) + " ms against " +
                           decimals(bench.eager.median_ms, 1) + " ms"};
        if (threads == 1) {
            line.target = "≤ " + decimals(kEncoderTarget, 1);
            line.met = bench.ratio <= kEncoderTarget;
        }
        lines.push_back(line);
        if (!bench.bf16.path.empty()) {
            lines.push_back(
                {"encoder",
                 bench.bf16.path + " against the same, " + std::to_string(threads) + " threads",
                 bench.bf16.median_ms / bench.eager.median_ms, "", true,
                 decimals(bench.bf16.median_ms, 1) + " ms"});
        }
    }
    return lines;
}

BenchLines bench_decoder_part(const BenchOptions& options) {
    const auto package = weights::ModelPackage::open(weights::find_package(options.package));
    const auto captioner = language::load_captioner(package);
    const auto encoder_package = weights::open_encoder_of(package);
    vision::GridEncoderOptions how;
    how.precision = "fp32";
    const auto encoder = vision::GridEncoder::load(encoder_package, how);
    const auto pictures = vision::probe_pictures(5, 8, encoder->preprocessing().width,
                                                 encoder->preprocessing().height);
    std::vector<vision::FeatureSet> features(pictures.size());
    encoder->encode(pictures, features);

    const tensor::ThreadScope one_thread(1);
    const bench::NaiveBeam naive(package);
    auto decoding = captioner->decoding_defaults();
    std::vector<double> ours, theirs;
    for (int round = 0; round < options.rounds * 2; ++round) {
        for (const auto& picture : features) {
            ours.push_back(
                milliseconds_of([&] { (void)language::describe(*captioner, picture, decoding); }));
            theirs.push_back(milliseconds_of([&] { (void)naive.describe(picture, decoding); }));
        }
    }
    const double ratio = median(ours) / median(theirs);
    return {{"decoder",
             "beam " + std::to_string(decoding.beam) + " against a naive beam loop, 1 thread",
             ratio, "≤ " + decimals(kDecoderTarget, 1), ratio <= kDecoderTarget,
             decimals(median(ours), 2) + " ms against " + decimals(median(theirs), 2) +
                 " ms a caption"}};
}

}  // namespace seesay::tools
