// The tables of pixel formats and colour matrices.
#include "elements/overlay/frame_format.hpp"

namespace seesay::overlay {
namespace {

using vision::ColourMatrix;
using vision::ColourRange;
using vision::PixelFormat;
using enum Channel;

template <int plane, int across, int down, Channel... names>
constexpr PlaneLayout kPlane{plane, across, down, sizeof...(names), {names...}};

template <Channel first, Channel second>
constexpr std::array kHalvedBothWays{kPlane<0, 1, 1, Luma>, kPlane<1, 2, 2, first>,
                                     kPlane<2, 2, 2, second>};
template <Channel first, Channel second>
constexpr std::array kInterleavedChroma{kPlane<0, 1, 1, Luma>, kPlane<1, 2, 2, first, second>};
template <int across>
constexpr std::array kFullHeight{kPlane<0, 1, 1, Luma>, kPlane<1, across, 1, Cb>,
                                 kPlane<2, across, 1, Cr>};
template <Channel... names>
constexpr std::array kPacked{kPlane<0, 1, 1, names...>};

struct LumaWeights {
    float red;
    float blue;
};

LumaWeights luma_weights(ColourMatrix matrix) {
    switch (matrix) {
        case ColourMatrix::Bt601:
            return {0.299F, 0.114F};
        case ColourMatrix::Bt709:
            return {0.2126F, 0.0722F};
        case ColourMatrix::Bt2020:
            return {0.2627F, 0.0593F};
    }
    return {0.299F, 0.114F};
}

}  // namespace

std::span<const PlaneLayout> plane_layouts(PixelFormat format) {
    switch (format) {
        case PixelFormat::I420:
            return kHalvedBothWays<Cb, Cr>;
        case PixelFormat::YV12:
            return kHalvedBothWays<Cr, Cb>;
        case PixelFormat::NV12:
            return kInterleavedChroma<Cb, Cr>;
        case PixelFormat::NV21:
            return kInterleavedChroma<Cr, Cb>;
        case PixelFormat::Y42B:
            return kFullHeight<2>;
        case PixelFormat::Y444:
            return kFullHeight<1>;
        case PixelFormat::GRAY8:
            return kPacked<Luma>;
        case PixelFormat::RGB:
            return kPacked<Red, Green, Blue>;
        case PixelFormat::BGR:
            return kPacked<Blue, Green, Red>;
        case PixelFormat::RGBx:
            return kPacked<Red, Green, Blue, Unused>;
        case PixelFormat::BGRx:
            return kPacked<Blue, Green, Red, Unused>;
        case PixelFormat::xRGB:
            return kPacked<Unused, Red, Green, Blue>;
        case PixelFormat::xBGR:
            return kPacked<Unused, Blue, Green, Red>;
        case PixelFormat::RGBA:
            return kPacked<Red, Green, Blue, Alpha>;
        case PixelFormat::BGRA:
            return kPacked<Blue, Green, Red, Alpha>;
        case PixelFormat::ARGB:
            return kPacked<Alpha, Red, Green, Blue>;
        case PixelFormat::ABGR:
            return kPacked<Alpha, Blue, Green, Red>;
    }
    return {};
}

ChannelWeights channel_weights(Channel channel, ColourMatrix matrix, ColourRange range) {
    const auto [red, blue] = luma_weights(matrix);
    const float green = 1.F - red - blue;
    const bool limited = range == ColourRange::Limited;
    const float luma_scale = limited ? 219.F / 255.F : 1.F;
    const float chroma_scale = limited ? 224.F / 255.F : 1.F;
    constexpr float kChromaCentre = 128.F / 255.F;
    switch (channel) {
        case Luma:
            return {red * luma_scale, green * luma_scale, blue * luma_scale,
                    limited ? 16.F / 255.F : 0.F};
        case Cb: {
            const float scale = chroma_scale / (2.F * (1.F - blue));
            return {-red * scale, -green * scale, (1.F - blue) * scale, kChromaCentre};
        }
        case Cr: {
            const float scale = chroma_scale / (2.F * (1.F - red));
            return {(1.F - red) * scale, -green * scale, -blue * scale, kChromaCentre};
        }
        case Red:
            return {1.F, 0.F, 0.F, 0.F};
        case Green:
            return {0.F, 1.F, 0.F, 0.F};
        case Blue:
            return {0.F, 0.F, 1.F, 0.F};
        case Alpha:
            return {0.F, 0.F, 0.F, 1.F};
        case Unused:
            break;
    }
    return {};
}

}  // namespace seesay::overlay
