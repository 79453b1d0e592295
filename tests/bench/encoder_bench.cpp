// Times an encoder package: against eager LibTorch (JSON), or picture by picture for
// tools/bench_onnxruntime.py.
#include "models/vision/encoder_bench.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/error.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/vision/probe_pictures.hpp"

namespace {

using seesay::vision::GridEncoder;

// The probe picture in hexadecimal and the mean of its feature vectors.
nlohmann::json describe(GridEncoder& encoder, const seesay::vision::Image& picture,
                        const std::vector<float>& vectors) {
    std::string hex;
    for (const std::uint8_t byte : picture.pixels) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    std::vector<double> pooled(encoder.dimension());
    const int places = encoder.rows() * encoder.columns();
    for (std::size_t i = 0; i < vectors.size(); ++i)
        pooled[i % pooled.size()] += vectors[i] / places;
    return {{"pixels", hex}, {"pooled", pooled}};
}

// Says the path; then for each line "run" encodes one picture and says the milliseconds, for
// "features" says the picture and what came out.
void serve(const seesay::weights::ModelPackage& package, int threads) {
    const auto encoder = GridEncoder::load(package, {"cpu", threads, "fp32", "auto"});
    const auto picture = seesay::vision::probe_pictures(1, 1, encoder->preprocessing().width,
                                                        encoder->preprocessing().height);
    std::vector<float> vectors(static_cast<std::size_t>(encoder->rows()) * encoder->columns() *
                               encoder->dimension());
    std::cout << encoder->path() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        const auto start = std::chrono::steady_clock::now();
        encoder->encode(picture, vectors.data());
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        if (line == "features") {
            std::cout << describe(*encoder, picture.front(), vectors).dump() << std::endl;
        } else {
            std::cout << took.count() << std::endl;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::string folder;
    int threads = 1;
    bool on_request = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--on-request") {
            on_request = true;
        } else if (arguments[i] == "--threads" && i + 1 < arguments.size()) {
            threads = std::atoi(arguments[++i].c_str());
        } else {
            folder = arguments[i];
        }
    }
    if (folder.empty()) {
        std::cerr << "usage: encoder_bench PACKAGE_FOLDER [--threads N] [--on-request]\n";
        return 2;
    }
    try {
        const auto package = seesay::weights::ModelPackage::open(folder);
        if (on_request) {
            serve(package, threads);
        } else {
            std::cout << to_json(seesay::vision::bench_encoder(package, threads)).dump(1) << "\n";
        }
    } catch (const seesay::Error& error) {
        std::cerr << "encoder_bench: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
