// MappedFile over mmap; an empty file is an empty span without a mapping.
#include "models/weights/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "models/error.hpp"

namespace seesay::weights {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
    throw Error(file.string() + ": cannot be read: " + std::generic_category().message(error));
}

class Descriptor {
 public:
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (value_ >= 0) {
            ::close(value_);
        }
    }
    [[nodiscard]] int get() const { return value_; }

 private:
    int value_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& file) {
    // O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused below.
    const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (descriptor.get() < 0) {
        fail(file, errno);
    }
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0) {
        fail(file, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw Error(file.string() + ": is not a regular file");
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    const std::byte* data = nullptr;
    if (size > 0) {
        void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
        if (mapping == MAP_FAILED) {
            fail(file, errno);
        }
        data = static_cast<const std::byte*>(mapping);
    }
    return std::shared_ptr<const MappedFile>(new MappedFile(data, size));
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) {
        ::munmap(const_cast<std::byte*>(data_), size_);
    }
}

}  // namespace seesay::weights
