// Choosing and rendering views.
#include "models/training/views.hpp"

#include <algorithm>
#include <cmath>

#include "models/training/random.hpp"
#include "models/vision/frame_view.hpp"

namespace seesay::training {

View make_view(std::uint64_t seed, const std::string& picture, int number) {
    View view;
    if (number == 0) {
        return view;
    }
    Random random(mix_seed(seed, hash_name(picture), static_cast<std::uint64_t>(number)));
    const double area = random.uniform(0.7, 1.0);
    // A window whose sides' ratio is r, squeezed to a square, shows things r times narrower.
    const double ratio = std::exp(random.uniform(std::log(0.7), std::log(1.4)));
    view.width = std::min(1.0, std::sqrt(area * ratio));
    view.height = std::min(1.0, std::sqrt(area / ratio));
    view.left = random.uniform(0.0, 1.0 - view.width);
    view.top = random.uniform(0.0, 1.0 - view.height);
    view.mirrored = number % 2 == 1;
    return view;
}

vision::Image render_view(const vision::Image& picture, const View& view,
                          const vision::Preprocessing& preprocessing) {
    const int left =
        std::clamp(static_cast<int>(std::lround(view.left * picture.width)), 0, picture.width - 1);
    const int top =
        std::clamp(static_cast<int>(std::lround(view.top * picture.height)), 0, picture.height - 1);
    vision::FrameView window;
    window.format = vision::PixelFormat::RGB;
    window.width = std::clamp(static_cast<int>(std::lround(view.width * picture.width)), 1,
                              picture.width - left);
    window.height = std::clamp(static_cast<int>(std::lround(view.height * picture.height)), 1,
                               picture.height - top);
    window.strides[0] = picture.width * 3;
    window.planes[0] =
        picture.pixels.data() + static_cast<std::size_t>(top) * window.strides[0] + left * 3;
    vision::Image image = vision::preprocess(window, preprocessing).image;
    if (view.mirrored) {
        for (int y = 0; y < image.height; ++y) {
            auto* row = image.pixels.data() + static_cast<std::size_t>(y) * image.width * 3;
            for (int x = 0; x < image.width / 2; ++x) {
                std::swap_ranges(row + x * 3, row + x * 3 + 3, row + (image.width - 1 - x) * 3);
            }
        }
    }
    return image;
}

}  // namespace seesay::training
