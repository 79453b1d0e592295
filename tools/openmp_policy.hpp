// How idle OpenMP threads wait. libgomp reads its environment when it is loaded, so a program that
// wants another policy must start itself once more.
#pragma once

namespace seesay::tools {

/// What a command does with several threads.
enum class OpenMpUse {
    Inference,  ///< short bursts: a short spin, neither sleeping nor fighting with decoder threads
    Training,   ///< hours beside other work: sleep
};

/// Executes the program again with a policy for `use`, unless the user has set one
/// (OMP_WAIT_POLICY, GOMP_SPINCOUNT) or a policy is already in force from a first start. Returns if
/// there is nothing to do or execution fails (it is then only slower).
void set_openmp_policy(OpenMpUse use);

}  // namespace seesay::tools
