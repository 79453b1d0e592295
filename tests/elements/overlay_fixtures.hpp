// Frames in every format, with a reading and a blending of their own that share no code with the
// product: they go by GStreamer's description of the formats and calculate in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "elements/meta/caption_update.hpp"
#include "elements/overlay/argb_image.hpp"
#include "elements/overlay/frame_format.hpp"
#include "elements/overlay/text_layout.hpp"

namespace seesay::overlay::testing {

std::vector<vision::PixelFormat> all_formats();
/// As GStreamer calls it.
std::string name_of(vision::PixelFormat format);

/// 0…255, alpha last.
using Rgba = std::array<double, 4>;

/// An owned frame with odd strides and guard bytes behind each row.
class TestFrame {
 public:
    explicit TestFrame(const FrameFormat& format);

    const FrameFormat& format() const { return format_; }
    WritableFrame writable();

    void fill_with_noise(unsigned seed);
    /// `alpha` counts only where the format has one.
    void fill(const Rgba& colour);
    /// 0 where (x / cell + y / cell) is even, else 255.
    void fill_with_checker(int cell);

    Rgba pixel(int x, int y) const;
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

    /// What an exact blending of `drawing` gives; samples are not rounded. Same order as `bytes()`.
    std::vector<double> blended_exactly(const PlacedImage& drawing) const;
    /// Which bytes it may change: those of samples that cover a visible pixel of the drawing.
    std::vector<bool> covered_by(const PlacedImage& drawing) const;

 private:
    template <typename Use>
    void for_each_covered_sample(const PlacedImage& drawing, Use use) const;
    void set_pixel(int x, int y, const Rgba& colour);

    FrameFormat format_;
    std::array<std::size_t, 4> offsets_{};
    std::array<int, 4> strides_{};
    std::vector<std::uint8_t> bytes_;
};

/// Relative luminance of WCAG 2, 0…1.
double luminance(const Rgba& colour);
/// WCAG 2 contrast ratio, 1…21.
double contrast(double luminance_a, double luminance_b);

/// Noise with all alphas, premultiplied; half of the pixels are transparent.
ArgbImage noisy_drawing(int width, int height, unsigned seed);

/// A caption whose words are those of `text` at spaces, with a one-hot attention: word i looks at
/// place `attended[i]`.
std::shared_ptr<language::Caption> make_caption(const std::string& text);
void set_one_hot_attention(language::Caption& caption, int rows, int columns,
                           const std::vector<int>& attended);
std::shared_ptr<const elements::CaptionUpdate> make_update(
    std::shared_ptr<const language::Caption> caption, std::uint64_t segment = 1,
    std::int64_t pts = 0, std::int64_t hold = 1'000'000'000);

}  // namespace seesay::overlay::testing
