// OutputFile with plain system calls, so that every error is seen.
#include "models/weights/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "models/error.hpp"

namespace seesay::weights {

OutputFile::OutputFile(std::filesystem::path file) : file_(std::move(file)), part_(file_) {
    part_.replace_extension(".part" + file_.extension().string());
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        fail(errno);
    }
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        ::unlink(part_.c_str());
    }
}

void OutputFile::fail(int error) const {
    throw Error(file_.string() + ": cannot be written: " + std::generic_category().message(error));
}

void OutputFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            fail(errno);
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void OutputFile::write(std::string_view text) {
    write(std::as_bytes(std::span(text.data(), text.size())));
}

void OutputFile::commit() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) {
        fail(errno);
    }
    if (::rename(part_.c_str(), file_.c_str()) != 0) {
        fail(errno);
    }
    ::close(std::exchange(descriptor_, -1));
}

}  // namespace seesay::weights
