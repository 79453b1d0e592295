// The step kernels for each kind of processor, and the choice among them.
#include "models/language/step_kernels.hpp"

#include <omp.h>

#include <cmath>
#include <cstring>

namespace seesay::language {
namespace {

namespace baseline {
constexpr int kWidth = 4;
constexpr const char* kName = "baseline";
#define SEESAY_TARGET
#include "models/language/step_kernels.inc"
#undef SEESAY_TARGET
}  // namespace baseline

#if defined(__x86_64__)
namespace avx2 {
constexpr int kWidth = 8;
constexpr const char* kName = "avx2";
#define SEESAY_TARGET __attribute__((target("avx2,fma")))
#include "models/language/step_kernels.inc"
#undef SEESAY_TARGET
}  // namespace avx2

namespace avx512 {
constexpr int kWidth = 16;
constexpr const char* kName = "avx512";
#define SEESAY_TARGET __attribute__((target("avx512f,avx2,fma")))
#include "models/language/step_kernels.inc"
#undef SEESAY_TARGET
}  // namespace avx512
#endif

}  // namespace

std::vector<const StepKernels*> runnable_step_kernels() {
    std::vector<const StepKernels*> kernels{&baseline::kKernels};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels.push_back(&avx2::kKernels);
        if (__builtin_cpu_supports("avx512f")) {
            kernels.push_back(&avx512::kKernels);
        }
    }
#endif
    return kernels;
}

const StepKernels& step_kernels() {
    static const StepKernels& best = *runnable_step_kernels().back();
    return best;
}

float sigmoid(float x) {
    return 1.F / (1.F + std::exp(-x));
}

PackedMatrix::PackedMatrix(int outputs, int inputs)
    : outputs_(padded(outputs)),
      inputs_(padded(inputs)),
      panels_(static_cast<std::size_t>(outputs_) * static_cast<std::size_t>(inputs_)) {
}

void PackedMatrix::set_rows(int first_output, const float* weights, int rows, int columns,
                            int row_stride) {
    for (int row = 0; row < rows; ++row) {
        const int output = first_output + row;
        float* panel = panels_.row(output / kLanes, inputs_ * kLanes) + output % kLanes;
        const float* source = weights + static_cast<std::size_t>(row) * row_stride;
        for (int k = 0; k < columns; ++k) {
            panel[static_cast<std::size_t>(k) * kLanes] = source[k];
        }
    }
}

void PackedMatrix::multiply(const float* x, int x_stride, int rows, float* y, int y_stride) const {
    const StepKernels& kernels = step_kernels();
    const int panels = outputs_ / kLanes;
    const int team = omp_get_max_threads();
    if (team <= 1 || panels < 2 * team) {
        kernels.product(panels_.data(), inputs_, 0, panels, x, x_stride, rows, y, y_stride);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int part = 0; part < team; ++part) {
        kernels.product(panels_.data(), inputs_, panels * part / team, panels * (part + 1) / team,
                        x, x_stride, rows, y, y_stride);
    }
}

}  // namespace seesay::language
