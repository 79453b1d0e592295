// Interleaved measurement: whatever else the machine does in the meantime hits every path alike.
#include "models/vision/encoder_bench.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/vision/onednn_network.hpp"
#include "models/vision/probe_pictures.hpp"

namespace seesay::vision {
namespace {

constexpr int warm_up_rounds = 3;

// A path with the times measured so far, milliseconds.
struct Contestant {
    std::unique_ptr<GridEncoder> encoder;
    std::vector<double> times;
};

EncoderTiming timing(Contestant& contestant) {
    std::vector<double>& times = contestant.times;
    std::sort(times.begin(), times.end());
    const std::size_t middle = times.size() / 2;
    const double median =
        times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
    return {contestant.encoder->path(), median, times.front()};
}

}  // namespace

EncoderBench bench_encoder(const weights::ModelPackage& package, int threads, int rounds) {
    if (rounds < 1) throw Error("a measurement needs at least one round");
    std::vector<Contestant> contestants;
    const auto enter = [&](const char* precision, const char* path) {
        contestants.push_back({GridEncoder::load(package, {"cpu", threads, precision, path}), {}});
    };
    enter("fp32", "eager");
    enter("fp32", "auto");
    if (onednn_runs_bf16()) enter("bf16", "auto");

    const GridEncoder& first = *contestants.front().encoder;
    const std::vector<Image> picture =
        probe_pictures(1, 1, first.preprocessing().width, first.preprocessing().height);
    std::vector<float> vectors(static_cast<std::size_t>(first.rows()) * first.columns() *
                               first.dimension());
    for (int round = -warm_up_rounds; round < rounds; ++round) {
        for (Contestant& contestant : contestants) {
            const auto start = std::chrono::steady_clock::now();
            contestant.encoder->encode(picture, vectors.data());
            const std::chrono::duration<double, std::milli> took =
                std::chrono::steady_clock::now() - start;
            if (round >= 0) contestant.times.push_back(took.count());
        }
    }
    EncoderBench bench{first.threads(),        rounds, timing(contestants[0]),
                       timing(contestants[1]), {},     0};
    if (contestants.size() > 2) bench.bf16 = timing(contestants[2]);
    bench.ratio = bench.chosen.median_ms / bench.eager.median_ms;
    return bench;
}

nlohmann::json to_json(const EncoderBench& bench) {
    const auto one = [](const EncoderTiming& timing) -> nlohmann::json {
        if (timing.path.empty()) return nullptr;
        return {{"path", timing.path},
                {"median_ms", timing.median_ms},
                {"minimum_ms", timing.minimum_ms}};
    };
    return {{"threads", bench.threads},    {"rounds", bench.rounds},  {"eager", one(bench.eager)},
            {"chosen", one(bench.chosen)}, {"bf16", one(bench.bf16)}, {"ratio", bench.ratio}};
}

}  // namespace seesay::vision
