// From interleaved bytes to normalised planes.
#include "models/vision/feature_network.hpp"

namespace seesay::vision {

void normalise(const Image& picture, const Preprocessing& preprocessing, float* planes) {
    const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(picture.width) * picture.height;
    const std::uint8_t* __restrict pixels = picture.pixels.data();
    const bool blue_first = preprocessing.blue_first;
    float scale[3];
    float shift[3];
    for (int c = 0; c < 3; ++c) {
        scale[c] = 1.F / preprocessing.deviation[c];
        shift[c] = -preprocessing.mean[c] / preprocessing.deviation[c];
    }
    float* __restrict red = planes + (blue_first ? 2 * count : 0);
    float* __restrict green = planes + count;
    float* __restrict blue = planes + (blue_first ? 0 : 2 * count);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        red[i] = static_cast<float>(pixels[3 * i]) * scale[0] + shift[0];
        green[i] = static_cast<float>(pixels[3 * i + 1]) * scale[1] + shift[1];
        blue[i] = static_cast<float>(pixels[3 * i + 2]) * scale[2] + shift[2];
    }
}

}  // namespace seesay::vision
