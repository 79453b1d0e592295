// An owned 8-bit RGB picture: what preprocessing hands to an encoder and what picture files are
// read into.
#pragma once

#include <cstdint>
#include <vector>

namespace seesay::vision {

/// `[height, width, 3] uint8`, R G B interleaved, rows packed without padding.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;
};

}  // namespace seesay::vision
