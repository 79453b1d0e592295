// Checks with plain system calls, so that the messages can say what is wrong.
#include "pipeline/output_paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "models/error.hpp"

namespace seesay::pipeline {
namespace {

constexpr std::size_t kNameLimit = 255;

}  // namespace

std::filesystem::path part_path(const std::filesystem::path& output) {
    const std::string extension = ".part" + output.extension().string();
    std::string stem = output.stem().string();
    if (stem.size() + extension.size() > kNameLimit) {
        std::size_t size = kNameLimit - extension.size();
        // Not in the middle of a UTF-8 character.
        while (size > 0 && (static_cast<unsigned char>(stem[size]) & 0xC0) == 0x80)
            --size;
        stem.resize(size);
    }
    return output.parent_path() / (stem + extension);
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    struct stat first {
    }, second{};
    return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void check_output(const std::filesystem::path& output, const std::filesystem::path& input,
                  bool force) {
    const std::string name = output.string();
    struct stat found {};
    const bool exists = ::stat(output.c_str(), &found) == 0;
    if (!exists && errno != ENOENT) {
        const int reason = errno;
        throw Error(name + ": cannot be written: " + std::generic_category().message(reason));
    }
    if (exists && !input.empty() && is_same_file(output, input)) {
        throw Error(name + ": is the input itself; give the output another name");
    }
    if (exists && S_ISDIR(found.st_mode)) {
        throw Error(name + ": is a folder; give the name of a file in it");
    }
    if (exists && !S_ISREG(found.st_mode)) {
        throw Error(name + ": is not a regular file; give the output another name");
    }
    if (exists && !force) {
        throw Error(name + ": exists already; use --force to replace it");
    }
    const std::filesystem::path folder =
        output.has_parent_path() ? output.parent_path() : std::filesystem::path(".");
    if (::stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) {
        throw Error(name + ": the folder " + folder.string() + " does not exist; make it first");
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        const int reason = errno;
        throw Error(name + ": cannot be written: the folder " + folder.string() +
                    " is not writable (" + std::generic_category().message(reason) + ")");
    }
}

}  // namespace seesay::pipeline
