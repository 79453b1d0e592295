// Byte loops that the compiler vectorises, chosen once by what the processor can do.
#include "elements/overlay/blender.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace seesay::overlay {
namespace {

using BlendBytes = void (*)(std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::size_t);

/// frame = colour + frame · keep / 255, rounded to nearest: exact division by 255 in 16 bits.
[[gnu::always_inline]] inline void blend_loop(std::uint8_t* __restrict frame,
                                              const std::uint8_t* __restrict colour,
                                              const std::uint8_t* __restrict keep,
                                              std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto product = static_cast<std::uint16_t>(frame[i] * keep[i] + 128);
        const auto kept = static_cast<std::uint16_t>((product + (product >> 8U)) >> 8U);
        frame[i] = static_cast<std::uint8_t>(colour[i] + kept);
    }
}

void blend_baseline(std::uint8_t* frame, const std::uint8_t* colour, const std::uint8_t* keep,
                    std::size_t count) {
    blend_loop(frame, colour, keep, count);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
[[gnu::target("avx2")]] void blend_avx2(std::uint8_t* frame, const std::uint8_t* colour,
                                        const std::uint8_t* keep, std::size_t count) {
    blend_loop(frame, colour, keep, count);
}

BlendBytes choose() {
    return __builtin_cpu_supports("avx2") ? blend_avx2 : blend_baseline;
}
#else
BlendBytes choose() {
    return blend_baseline;
}
#endif

int alpha_offset(const PlaneLayout& layout) {
    for (int i = 0; i < layout.bytes; ++i) {
        if (layout.channels[static_cast<std::size_t>(i)] == Channel::Alpha) return i;
    }
    return -1;
}

bool opaque(const std::uint8_t* frame, int bytes, int alpha) {
    std::uint8_t all = 255;
    for (int i = alpha; i < bytes; i += 4) {
        all &= frame[i];
    }
    return all == 255;
}

/// "Over" on straight alpha: the kept colour weighs what the frame's alpha leaves of it.
void blend_translucent(std::uint8_t* frame, const std::uint8_t* colour, const std::uint8_t* keep,
                       int bytes, int alpha) {
    for (int i = 0; i < bytes; i += 4) {
        const std::uint32_t kept = std::uint32_t{frame[i + alpha]} * keep[i + alpha];
        const std::uint32_t result =
            (255U - keep[i + alpha]) * 255U + kept;  // alpha, scaled by 255
        if (result == 0 || keep[i + alpha] == 255) {
            continue;
        }
        for (int channel = 0; channel < 4; ++channel) {
            if (channel == alpha) {
                continue;
            }
            const std::uint32_t sum = colour[i + channel] * 65025U + frame[i + channel] * kept;
            const std::uint32_t straight = (sum + result / 2) / result;
            frame[i + channel] = static_cast<std::uint8_t>(std::min(straight, 255U));
        }
        frame[i + alpha] = static_cast<std::uint8_t>((result + 127U) / 255U);
    }
}

void blend_plane(const PreparedPlane& plane, std::uint8_t* data, int stride) {
    static const BlendBytes blend_bytes = choose();
    const int alpha = alpha_offset(plane.layout);
    std::size_t span = 0;
    for (int row = 0; row < plane.height; ++row) {
        std::uint8_t* frame_row = data + static_cast<std::ptrdiff_t>(plane.y + row) * stride +
                                  static_cast<std::ptrdiff_t>(plane.x) * plane.layout.bytes;
        const std::size_t prepared_row = static_cast<std::size_t>(row) * plane.row_bytes;
        for (; span < plane.row_ends[static_cast<std::size_t>(row)]; ++span) {
            const auto [begin, end] = plane.spans[span];
            std::uint8_t* frame = frame_row + begin;
            const std::uint8_t* colour = plane.colour.data() + prepared_row + begin;
            const std::uint8_t* keep = plane.keep.data() + prepared_row + begin;
            if (alpha < 0 || opaque(frame, end - begin, alpha)) {
                blend_bytes(frame, colour, keep, static_cast<std::size_t>(end - begin));
            } else {
                blend_translucent(frame, colour, keep, end - begin, alpha);
            }
        }
    }
}

}  // namespace

void blend(const PreparedOverlay& prepared, const WritableFrame& frame) {
    for (const PreparedPlane& plane : prepared.planes) {
        const auto index = static_cast<std::size_t>(plane.layout.plane);
        blend_plane(plane, frame.planes[index], frame.strides[index]);
    }
}

}  // namespace seesay::overlay
