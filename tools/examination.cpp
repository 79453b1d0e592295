// Processor, LibTorch and packages.
#include "tools/examination.hpp"

#include <ATen/Context.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "models/tensor/device.hpp"
#include "models/tensor/threads.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/weights/encoder_reference.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::tools {
namespace {

std::string processor_name() {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos) {
            return line.substr(line.find(": ") + 2);
        }
    }
    return "unknown";
}

std::string instruction_sets() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    std::string sets;
    const auto add = [&](bool has, const char* name) {
        sets += has ? std::string(sets.empty() ? "" : " ") + name : "";
    };
    add(__builtin_cpu_supports("sse4.2") != 0, "sse4.2");
    add(__builtin_cpu_supports("avx2") != 0, "avx2");
    add(__builtin_cpu_supports("fma") != 0, "fma");
    add(__builtin_cpu_supports("avx512bw") != 0, "avx512");
    add(__builtin_cpu_supports("avx512vnni") != 0, "vnni");
    add(__builtin_cpu_supports("avx512bf16") != 0, "bf16");
    return sets;
#else
    return "not an x86 processor";
#endif
}

}  // namespace

void Examination::fact(const std::string& name, const std::string& text) {
    std::printf("   %-12s %s\n", name.c_str(), text.c_str());
}

void Examination::judge(Finding finding, const std::string& name, const std::string& text,
                        const std::string& cure) {
    const char* marks[] = {"ok", "!", "-", "X"};
    std::printf("%-2s %-12s %s\n", marks[static_cast<int>(finding)], name.c_str(), text.c_str());
    if (finding != Finding::Good) {
        cures_.push_back({finding, name + ": " + cure});
        broken_ += finding == Finding::Broken ? 1 : 0;
    }
}

void Examination::print_cures() const {
    auto cures = cures_;
    std::stable_sort(cures.begin(), cures.end(),
                     [](const Cure& a, const Cure& b) { return a.finding > b.finding; });
    std::printf("\n%s\n", cures.empty() ? "Nothing is wrong." : "What to do:");
    for (const auto& cure : cures) {
        const char* kind = cure.finding == Finding::Broken ? "needed"
                           : cure.finding == Finding::Slow ? "slow"
                                                           : "optional";
        std::printf("  [%s] %s\n", kind, cure.text.c_str());
    }
}

void examine_processor(Examination& examination) {
    examination.fact(
        "processor",
        processor_name() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores");
    examination.fact("features", instruction_sets());
}

void examine_torch(Examination& examination) {
    examination.fact("LibTorch", TORCH_VERSION);
    std::string devices;
    for (const auto& device : tensor::available_devices()) {
        devices += (devices.empty() ? "" : " ") + device;
    }
    examination.fact("devices", devices);
    const auto blas = tensor::blas_in_use();
    examination.judge(blas.fast ? Finding::Good : Finding::Slow, "BLAS",
                      (blas.name.empty() ? "none found" : blas.name) +
                          (blas.library.empty() ? "" : " (" + blas.library + ")"),
                      "the reference BLAS is about 20 times slower; install libopenblas0-openmp");
    examination.fact("threads", "1 a model unless --threads says otherwise; idle threads: " +
                                    tensor::openmp_policy());
}

void examine_packages(Examination& examination) {
    bool default_found = false;
    for (const auto& folder : weights::list_packages()) {
        try {
            const auto package = weights::ModelPackage::open(folder);
            std::string text = folder.string();
            if (package.kind() == weights::PackageKind::Encoder) {
                const auto encoder = vision::GridEncoder::load(package, {});
                text += ", computes with " + encoder->path();
            } else {
                (void)weights::open_encoder_of(package);
                default_found = default_found || package.name() == "default";
            }
            examination.judge(Finding::Good, package.name(), text, "");
        } catch (const std::exception& error) {
            examination.judge(Finding::Broken, folder.filename().string(), error.what(),
                              "the package is damaged; install it again");
        }
    }
    if (!default_found) {
        examination.judge(Finding::Broken, "default",
                          "the captioner package 'default' was not found",
                          "install seesay's packages, or name their folder in SEESAY_PACKAGE_PATH");
    }
}

}  // namespace seesay::tools
