// Setting the policy and executing again.
#include "tools/openmp_policy.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace seesay::tools {
namespace {

// The words this program was started with.
std::vector<std::string> command_line() {
    std::ifstream stream("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(stream, word, '\0');) {
        words.push_back(word);
    }
    return words;
}

}  // namespace

void set_openmp_policy(OpenMpUse use) {
    if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) {
        return;
    }
    if (use == OpenMpUse::Training) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
    } else {
        setenv("GOMP_SPINCOUNT", "1000", 1);
    }
    std::vector<std::string> words = command_line();
    std::vector<char*> arguments;
    for (auto& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
}

}  // namespace seesay::tools
