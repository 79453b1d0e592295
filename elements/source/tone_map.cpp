// The table is computed with the formulas of ITU-R BT.2100 (PQ, HLG), BT.2020 and BT.709.
#include "elements/source/tone_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "elements/source/frame_conversion.hpp"

namespace seesay::elements {
namespace {

using Rgb = std::array<double, 3>;

constexpr double kReferenceWhite = 203.0;  // cd/m², BT.2408
constexpr double kPeak = 1000.0;           // cd/m²

// PQ signal → cd/m².
double pq_to_light(double signal) {
    constexpr double m1 = 2610.0 / 16384.0, m2 = 2523.0 / 4096.0 * 128.0;
    constexpr double c1 = 3424.0 / 4096.0, c2 = 2413.0 / 4096.0 * 32.0, c3 = 2392.0 / 4096.0 * 32.0;
    const double power = std::pow(std::clamp(signal, 0.0, 1.0), 1.0 / m2);
    return 10000.0 * std::pow(std::max(power - c1, 0.0) / (c2 - c3 * power), 1.0 / m1);
}

// HLG signal → scene light 0…1.
double hlg_to_scene(double signal) {
    constexpr double a = 0.17883277, b = 1.0 - 4.0 * a;
    const double c = 0.5 - a * std::log(4.0 * a);
    signal = std::clamp(signal, 0.0, 1.0);
    return signal <= 0.5 ? signal * signal / 3.0 : (std::exp((signal - c) / a) + b) / 12.0;
}

double luminance_2020(const Rgb& rgb) {
    return 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2];
}

// Display light in cd/m² of an R'G'B' signal.
Rgb to_light(const Rgb& signal, AVColorTransferCharacteristic transfer) {
    Rgb light{};
    if (transfer == AVCOL_TRC_SMPTE2084) {
        std::transform(signal.begin(), signal.end(), light.begin(), pq_to_light);
        return light;
    }
    std::transform(signal.begin(), signal.end(), light.begin(), hlg_to_scene);
    const double scene = luminance_2020(light);
    const double gain = scene <= 0.0 ? 0.0 : kPeak * std::pow(scene, 0.2);  // system gamma 1.2
    for (double& value : light)
        value *= gain;
    return light;
}

// Relative light (1 = reference white) → display signal, straight up to the knee, then rolled off
// to 1 at the peak.
double roll_off(double light) {
    constexpr double knee = 0.7;
    if (light <= knee) return light;
    const double peak = kPeak / kReferenceWhite;
    const double t = std::min((light - knee) / (peak - knee), 1.0);
    // A curve with slope 1 at the knee that ends flat at (peak, 1).
    const double steepness = (peak - knee) / (1.0 - knee);
    return knee + (1.0 - knee) * (1.0 - std::pow(1.0 - t, steepness));
}

double bt709_signal(double light) {
    return std::pow(std::clamp(light, 0.0, 1.0), 1.0 / 2.4);
}

Rgb bt2020_to_bt709(const Rgb& c) {
    return {1.660491 * c[0] - 0.587641 * c[1] - 0.072850 * c[2],
            -0.124550 * c[0] + 1.132900 * c[1] - 0.008349 * c[2],
            -0.018151 * c[0] - 0.100579 * c[1] + 1.118730 * c[2]};
}

Rgb tone_mapped(const Rgb& signal, AVColorTransferCharacteristic transfer) {
    Rgb light = to_light(signal, transfer);
    for (double& value : light)
        value /= kReferenceWhite;
    // The brightest channel decides, so that hue survives.
    const double brightest = *std::max_element(light.begin(), light.end());
    const double gain = brightest <= 0.0 ? 0.0 : roll_off(brightest) / brightest;
    for (double& value : light)
        value *= gain;
    Rgb result = bt2020_to_bt709(light);
    for (double& value : result)
        value = bt709_signal(value);
    return result;
}

}  // namespace

ToneMap::ToneMap(const AVFrame& like)
    : transfer_(like.color_trc),
      matrix_(like.colorspace),
      full_range_(is_full_range(like)),
      table_(static_cast<std::size_t>(kLuma) * kChroma * kChroma) {
    const bool bt709_matrix = matrix_ == AVCOL_SPC_BT709;
    const double kr = bt709_matrix ? 0.2126 : 0.2627, kb = bt709_matrix ? 0.0722 : 0.0593;
    const double kg = 1.0 - kr - kb;
    auto* entry = table_.data();
    for (int y = 0; y < kLuma; ++y) {
        for (int u = 0; u < kChroma; ++u) {
            for (int v = 0; v < kChroma; ++v, ++entry) {
                double luma = static_cast<double>(y) / (kLuma - 1),
                       cb = static_cast<double>(u) / (kChroma - 1) - 0.5,
                       cr = static_cast<double>(v) / (kChroma - 1) - 0.5;
                if (!full_range_) {
                    luma = (luma * 256.0 - 16.0) / 219.0;
                    cb *= 256.0 / 224.0;
                    cr *= 256.0 / 224.0;
                }
                const double red = luma + 2.0 * (1.0 - kr) * cr,
                             blue = luma + 2.0 * (1.0 - kb) * cb;
                const Rgb mapped =
                    tone_mapped({red, (luma - kr * red - kb * blue) / kg, blue}, transfer_);
                const double out = 0.2126 * mapped[0] + 0.7152 * mapped[1] + 0.0722 * mapped[2];
                *entry = {static_cast<float>(16.0 + 219.0 * out),
                          static_cast<float>(128.0 + 224.0 * (mapped[2] - out) / 1.8556),
                          static_cast<float>(128.0 + 224.0 * (mapped[0] - out) / 1.5748)};
            }
        }
    }
}

bool ToneMap::fits(const AVFrame& frame) const {
    return frame.color_trc == transfer_ && frame.colorspace == matrix_ &&
           is_full_range(frame) == full_range_;
}

ToneMap::Sample ToneMap::look_up(std::uint16_t y, std::uint16_t cb, std::uint16_t cr) const {
    const float fy = static_cast<float>(y) * ((kLuma - 1) / 65536.F),
                fu = static_cast<float>(cb) * ((kChroma - 1) / 65536.F),
                fv = static_cast<float>(cr) * ((kChroma - 1) / 65536.F);
    const int iy = static_cast<int>(fy), iu = static_cast<int>(fu), iv = static_cast<int>(fv);
    const float ty = fy - static_cast<float>(iy), tu = fu - static_cast<float>(iu),
                tv = fv - static_cast<float>(iv);
    Sample sum{0.F, 0.F, 0.F};
    for (int corner = 0; corner < 8; ++corner) {
        const int a = corner >> 2, b = (corner >> 1) & 1, c = corner & 1;
        const float weight = (a ? ty : 1 - ty) * (b ? tu : 1 - tu) * (c ? tv : 1 - tv);
        const Sample& s =
            table_[(static_cast<std::size_t>(iy + a) * kChroma + (iu + b)) * kChroma + (iv + c)];
        sum.y += weight * s.y;
        sum.cb += weight * s.cb;
        sum.cr += weight * s.cr;
    }
    return sum;
}

void ToneMap::apply(const AVFrame& source, AVFrame& target) const {
    const auto row = [&](int plane, int y) {
        return reinterpret_cast<const std::uint16_t*>(
            source.data[plane] + static_cast<std::ptrdiff_t>(y) * source.linesize[plane]);
    };
    for (int top = 0; top < source.height; top += 2) {
        for (int left = 0; left < source.width; left += 2) {
            float cb = 0.F, cr = 0.F;
            int count = 0;
            for (int y = top; y < std::min(top + 2, source.height); ++y) {
                for (int x = left; x < std::min(left + 2, source.width); ++x, ++count) {
                    const Sample s = look_up(row(0, y)[x], row(1, y)[x], row(2, y)[x]);
                    target.data[0][static_cast<std::ptrdiff_t>(y) * target.linesize[0] + x] =
                        static_cast<std::uint8_t>(s.y + 0.5F);
                    cb += s.cb;
                    cr += s.cr;
                }
            }
            const auto n = static_cast<float>(count);
            target.data[1][static_cast<std::ptrdiff_t>(top / 2) * target.linesize[1] + left / 2] =
                static_cast<std::uint8_t>(cb / n + 0.5F);
            target.data[2][static_cast<std::ptrdiff_t>(top / 2) * target.linesize[2] + left / 2] =
                static_cast<std::uint8_t>(cr / n + 0.5F);
        }
    }
    target.color_range = AVCOL_RANGE_MPEG;
    target.color_primaries = AVCOL_PRI_BT709;
    target.color_trc = AVCOL_TRC_BT709;
    target.colorspace = AVCOL_SPC_BT709;
}

}  // namespace seesay::elements
