// Threads and floating-point modes of the calling thread, and what LibTorch computes with: for
// sessions and `doctor`.
#pragma once

#include <string>

namespace seesay::tensor {

/// Number of threads that `requested` stands for: itself, or one a core for 0. Throws Error below 0
/// or above 1024.
int resolve_threads(int requested);

/// Sets the size of the calling thread's OpenMP team, which LibTorch, oneDNN and OpenBLAS (openmp)
/// all use. Every calling thread has its own team: call this on the thread that computes.
/// `requested` as in resolve_threads.
void set_num_threads(int requested);

/// Size of the calling thread's OpenMP team.
int num_threads();

/// Treats denormal numbers as zero on the calling thread (and its OpenMP team, where it starts
/// after this call). Recurrent states that fade out are otherwise up to 100 times slower. False
/// where the processor cannot.
bool flush_denormals(bool on);

/// Sets the team size of the calling thread, and back at the end of the scope.
class ThreadScope {
 public:
    explicit ThreadScope(int requested);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

 private:
    int before_;
};

/// The BLAS that LibTorch calls.
struct Blas {
    std::string
        library;  ///< resolved path of the shared library with `sgemm_`; empty if none was found
    std::string
        name;  ///< "OpenBLAS 0.3.21 (openmp)", "reference BLAS", "MKL", or the library's file name
    bool fast = false;  ///< false for the reference BLAS, which is about 20 times slower
};
Blas blas_in_use();

/// How idle OpenMP threads wait, as libgomp read it when it was loaded: "spin count 1000
/// (GOMP_SPINCOUNT)", "passive (OMP_WAIT_POLICY)", "active (OMP_WAIT_POLICY)" or "default: short
/// spin, then sleep".
std::string openmp_policy();

}  // namespace seesay::tensor
