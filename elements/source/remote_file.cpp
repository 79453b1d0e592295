// A first look at the file decides: the server's answer and the first bytes.
#include "elements/source/remote_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "models/error.hpp"

namespace seesay::elements {
namespace {

constexpr int kBlock = 64 * 1024;

struct IoClose {
    void operator()(AVIOContext* io) const { avio_close(io); }
};
using Io = std::unique_ptr<AVIOContext, IoClose>;

// Play lists (HLS, DASH) name other addresses relative to their own.
bool is_play_list(const std::vector<unsigned char>& block, int count) {
    const std::string_view head(reinterpret_cast<const char*>(block.data()),
                                static_cast<std::size_t>(count));
    return head.starts_with("#EXTM3U") || head.starts_with("<MPD") || head.starts_with("<?xml");
}

}  // namespace

TemporaryCopy::TemporaryCopy() {
    std::error_code failed;
    const auto folder = std::filesystem::temp_directory_path(failed);
    std::string name = (failed ? "/tmp" : folder.string()) + "/seesay-XXXXXX";
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) {
        throw Error(name + ": no temporary file can be made: " +
                    std::generic_category().message(errno) + "; set TMPDIR to another folder");
    }
    ::unlink(name.c_str());
}

TemporaryCopy::~TemporaryCopy() {
    ::close(file_);
}

void TemporaryCopy::append(const unsigned char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(file_, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            throw Error("the folder for temporary files cannot hold it: " +
                        std::generic_category().message(errno) + "; set TMPDIR to another folder");
        }
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
}

std::string TemporaryCopy::path() const {
    return "/proc/self/fd/" + std::to_string(file_);
}

bool is_http_address(const std::string& location) {
    return location.starts_with("http://") || location.starts_with("https://");
}

std::string network_reason(int error) {
    // libavformat says so of names that cannot be resolved.
    if (error == AVERROR(EIO)) return "no such server, or it does not answer";
    if (error == AVERROR_EXIT) return "it does not answer";
    return libav_error(error);
}

std::unique_ptr<TemporaryCopy> fetch_without_ranges(const std::string& location,
                                                    const AVIOInterruptCB& interrupt,
                                                    std::chrono::microseconds silence) {
    AVDictionary* settings = nullptr;
    av_dict_set_int(&settings, "rw_timeout", silence.count(), 0);
    AVIOContext* opened = nullptr;
    const int result = avio_open2(&opened, location.c_str(), AVIO_FLAG_READ, &interrupt, &settings);
    av_dict_free(&settings);
    if (result < 0) {
        throw Error(location + ": cannot be opened: " + network_reason(result));
    }
    const Io io(opened);
    const bool ranges = (io->seekable & AVIO_SEEKABLE_NORMAL) != 0;
    const std::int64_t size = avio_size(io.get());
    if (ranges || size <= 0) {
        return nullptr;
    }
    std::vector<unsigned char> block(kBlock);
    auto copy = std::make_unique<TemporaryCopy>();
    for (std::int64_t fetched = 0; fetched < size;) {
        const int count = avio_read_partial(io.get(), block.data(), kBlock);
        if (count <= 0) {
            throw Error(location + ": cannot be fetched: the connection broke off after " +
                        std::to_string(fetched) + " of " + std::to_string(size) + " bytes");
        }
        if (fetched == 0 && is_play_list(block, count)) return nullptr;
        try {
            copy->append(block.data(), static_cast<std::size_t>(count));
        } catch (const Error& error) {
            throw Error(location + ": " + error.what());
        }
        fetched += count;
    }
    return copy;
}

}  // namespace seesay::elements
