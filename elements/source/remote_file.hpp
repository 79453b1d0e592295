// Files on HTTP servers: how they are read where the server cannot start in the middle.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "elements/source/libav_pointers.hpp"

namespace seesay::elements {

/// A copy of a file in the folder for temporary files, without a name: it goes with its owner.
class TemporaryCopy {
 public:
    /// Throws Error where no temporary file can be made.
    TemporaryCopy();
    TemporaryCopy(const TemporaryCopy&) = delete;
    TemporaryCopy& operator=(const TemporaryCopy&) = delete;
    ~TemporaryCopy();

    /// Throws Error where the disk is full.
    void append(const unsigned char* bytes, std::size_t count);
    /// A path by which this process can open it.
    [[nodiscard]] std::string path() const;

 private:
    int file_ = -1;
};

/// Whether `location` is an address of HTTP or HTTPS.
bool is_http_address(const std::string& location);

/// Fetches the file of an HTTP address if its server knows no ranges: films whose index stands at
/// their end can only be read so, and every film twice. Null where there is no need, and for play
/// lists and streams without an end. Throws Error where the server does not answer within
/// `silence`, has no such file or breaks off. `interrupt` is asked while waiting.
std::unique_ptr<TemporaryCopy> fetch_without_ranges(const std::string& location,
                                                    const AVIOInterruptCB& interrupt,
                                                    std::chrono::microseconds silence);

/// Why an address cannot be opened, in words that help.
std::string network_reason(int error);

}  // namespace seesay::elements
