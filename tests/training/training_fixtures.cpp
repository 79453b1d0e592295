// The data set and the source.
#include "training_fixtures.hpp"

#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

namespace seesay::training {
namespace {

const char* const kColours[] = {"red", "green", "blue", "white"};

}  // namespace

void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines) {
    std::ofstream stream(file);
    for (const auto& line : lines) {
        stream << line << '\n';
    }
}

void write_data_set(const std::filesystem::path& folder, int count) {
    const cv::Scalar colours[] = {{0, 0, 220}, {0, 220, 0}, {220, 0, 0}, {240, 240, 240}};
    std::vector<std::string> captions;
    for (int i = 0; i < count; ++i) {
        const std::string name = std::string("p").append(std::to_string(i)).append(".png");
        // The grey level in one corner makes every file different.
        cv::Mat picture(32, 32, CV_8UC3, colours[i % 4]);
        picture.at<cv::Vec3b>(0, 0) =
            cv::Vec3b(static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i / 256), 7);
        cv::imwrite((folder / name).string(), picture);
        const std::string colour = kColours[i % 4];
        captions.push_back(name);
        captions.back()
            .append("\ta ")
            .append(colour)
            .append(" square number ")
            .append(std::to_string(i))
            .append(" .");
        captions.push_back(name + "\tthe square is " + colour + " on the left of " +
                           std::to_string(i));
    }
    write_lines(folder / "captions.tsv", captions);
}

QuarterColours::QuarterColours() {
    preprocessing_.width = 8;
    preprocessing_.height = 8;
}

void QuarterColours::encode(std::span<const vision::Image> images, float* out) {
    for (const auto& image : images) {
        if (fail_after >= 0 && encoded >= fail_after) {
            throw std::runtime_error("killed");
        }
        ++encoded;
        for (int quarter = 0; quarter < 4; ++quarter) {
            for (int channel = 0; channel < 3; ++channel) {
                float sum = 0;
                for (int y = 0; y < 4; ++y) {
                    for (int x = 0; x < 4; ++x) {
                        sum += image.pixels[((quarter / 2 * 4 + y) * 8 + quarter % 2 * 4 + x) * 3 +
                                            channel];
                    }
                }
                *out++ = sum / (16 * 255);
            }
        }
    }
}

}  // namespace seesay::training
