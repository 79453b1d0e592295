// The folder itself is locked, so that no lock file is left behind.
#include "elements/events/path_claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace seesay::elements {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRetry = std::chrono::milliseconds(2);

}  // namespace

PathClaim::PathClaim(const std::string& path) {
    if (path.empty()) {
        return;
    }
    const auto parent = std::filesystem::path(path).parent_path();
    folder_ = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    // The claim of another is over within a millisecond; whoever locks the folder for longer has
    // other reasons.
    while (folder_ >= 0 && ::flock(folder_, LOCK_EX | LOCK_NB) != 0 &&
           std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kRetry);
    }
}

PathClaim::~PathClaim() {
    if (folder_ >= 0) {
        ::close(folder_);  // and with it the lock
    }
}

}  // namespace seesay::elements
