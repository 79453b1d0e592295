// Times of an encoder package: the path that GridEncoder chooses against eager LibTorch with
// BatchNorm kept.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/weights/model_package.hpp"

namespace seesay::vision {

/// One picture at a time through one path.
struct EncoderTiming {
    std::string path;  ///< GridEncoder::path()
    double median_ms = 0;
    double minimum_ms = 0;
};

struct EncoderBench {
    int threads = 1;
    int rounds = 0;
    EncoderTiming eager;   ///< float32, BatchNorm kept: what a plain port of the Python code does
    EncoderTiming chosen;  ///< float32, the path for this machine
    EncoderTiming bf16;    ///< empty `path` where bf16 does not run here
    double ratio = 0;      ///< chosen / eager, of the medians
};

/// Runs `rounds` pictures through every path in turn on the calling thread, CPU only, after a
/// warm-up. Throws Error as GridEncoder::load does.
EncoderBench bench_encoder(const weights::ModelPackage& package, int threads, int rounds = 30);

/// {"threads","rounds","eager":{"path","median_ms","minimum_ms"},"chosen":{…},"bf16":{…} or
/// null,"ratio"}
nlohmann::json to_json(const EncoderBench& bench);

}  // namespace seesay::vision
