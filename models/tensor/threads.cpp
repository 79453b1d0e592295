// Thread counts through OpenMP and LibTorch, and what the dynamic loader says about the BLAS in
// use.
#include "models/tensor/threads.hpp"

#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <torch/torch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "models/error.hpp"

namespace seesay::tensor {
namespace {

// Path of the loaded library whose file name starts with `prefix`.
std::string loaded_library(const std::string& prefix) {
    struct Search {
        const std::string& prefix;
        std::string found;
    } search{prefix, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
            const std::string file = path.substr(path.rfind('/') + 1);
            if (file.compare(0, wanted.prefix.size(), wanted.prefix) != 0) return 0;
            wanted.found = path;
            return 1;
        },
        &search);
    return search.found;
}

// A symbol as LibTorch sees it. The handle is looked up by name: a plugin is loaded with local
// symbols.
void* symbol_of_torch(const char* name) {
    const std::string torch = loaded_library("libtorch_cpu");
    if (!torch.empty()) {
        if (void* handle = dlopen(torch.c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
            void* symbol = dlsym(handle, name);
            dlclose(handle);
            if (symbol != nullptr) return symbol;
        }
    }
    return dlsym(RTLD_DEFAULT, name);
}

std::string openblas_name(void* config_symbol, void* parallel_symbol) {
    std::string name = "OpenBLAS";
    const std::string config = reinterpret_cast<char* (*)()>(config_symbol)();
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
    const std::size_t start = config.find("OpenBLAS ");
    if (start != std::string::npos)
        name = config.substr(start, config.find(' ', start + 9) - start);
    if (parallel_symbol != nullptr) {
        const int parallel = reinterpret_cast<int (*)()>(parallel_symbol)();
        name += parallel == 2 ? " (openmp)" : parallel == 1 ? " (pthread)" : " (serial)";
    }
    return name;
}

// A variable as it was when the program started, which is what libgomp read.
std::optional<std::string> start_environment(const std::string& name) {
    std::ifstream file("/proc/self/environ", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find('\0', at), all.size());
        if (all.compare(at, name.size() + 1, name + "=") == 0) {
            return all.substr(at + name.size() + 1, end - at - name.size() - 1);
        }
        at = end + 1;
    }
    return std::nullopt;
}

}  // namespace

int resolve_threads(int requested) {
    if (requested < 0 || requested > 1024) {
        throw Error("threads must be from 0 (one a core) to 1024, not " +
                    std::to_string(requested));
    }
    if (requested > 0) return requested;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void set_num_threads(int requested) {
    const int wanted = resolve_threads(requested);
    // LibTorch may have brought an OpenMP of its own, so both are told.
    if (at::get_num_threads() != wanted) at::set_num_threads(wanted);
    if (omp_get_max_threads() != wanted) omp_set_num_threads(wanted);
}

int num_threads() {
    return at::get_num_threads();
}

bool flush_denormals(bool on) {
    return at::globalContext().setFlushDenormal(on);
}

ThreadScope::ThreadScope(int requested) : before_(num_threads()) {
    set_num_threads(requested);
}

ThreadScope::~ThreadScope() {
    set_num_threads(before_);
}

Blas blas_in_use() {
    Blas blas;
    void* sgemm = symbol_of_torch("sgemm_");
    Dl_info info{};
    if (sgemm == nullptr || dladdr(sgemm, &info) == 0 || info.dli_fname == nullptr) {
        blas.name = "none found";
        return blas;
    }
    std::error_code ignored;
    const std::filesystem::path resolved = std::filesystem::canonical(info.dli_fname, ignored);
    blas.library = resolved.empty() ? info.dli_fname : resolved.string();
    blas.name = std::filesystem::path(blas.library).filename().string();
    blas.fast = true;
    if (void* config = symbol_of_torch("openblas_get_config")) {
        blas.name = openblas_name(config, symbol_of_torch("openblas_get_parallel"));
    } else if (symbol_of_torch("mkl_get_max_threads") != nullptr ||
               symbol_of_torch("MKL_Get_Max_Threads") != nullptr ||
               blas.name.find("torch") != std::string::npos) {
        blas.name = "MKL";
    } else if (blas.name.rfind("libblas", 0) == 0) {
        blas.name = "reference BLAS";
        blas.fast = false;
    }
    return blas;
}

std::string openmp_policy() {
    if (const auto spin = start_environment("GOMP_SPINCOUNT")) {
        return "spin count " + *spin + " (GOMP_SPINCOUNT)";
    }
    if (auto policy = start_environment("OMP_WAIT_POLICY")) {
        std::transform(policy->begin(), policy->end(), policy->begin(),
                       [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
        return *policy + " (OMP_WAIT_POLICY)";
    }
    return "default: short spin, then sleep";
}

}  // namespace seesay::tensor
