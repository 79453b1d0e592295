// Picture files of every kind; those in tests/fixtures/pictures are made by make_pillow_golden.py
// and show one picture.
#include "models/vision/image_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/error.hpp"
#include "models/vision/picture_header.hpp"

namespace seesay::vision {
namespace {

const std::filesystem::path pictures = std::filesystem::path(SEESAY_FIXTURES) / "pictures";

std::vector<std::uint8_t> bytes_of(const std::string& name) {
    std::ifstream file(pictures / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// R, G, B in the middle of a quarter: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
std::array<int, 3> quarter(const Image& image, int index) {
    const int x = image.width * (index % 2 == 0 ? 1 : 3) / 4;
    const int y = image.height * (index / 2 == 0 ? 1 : 3) / 4;
    const std::uint8_t* p =
        image.pixels.data() + 3 * (static_cast<std::ptrdiff_t>(y) * image.width + x);
    return {p[0], p[1], p[2]};
}

void expect_quarters(const Image& image, const std::array<std::array<int, 3>, 4>& colours,
                     int tolerance) {
    ASSERT_EQ(image.width, 24);
    ASSERT_EQ(image.height, 16);
    ASSERT_EQ(image.pixels.size(), 24U * 16 * 3);
    for (int q = 0; q < 4; ++q) {
        const auto found = quarter(image, q);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(found[c], colours[q][c], tolerance) << "quarter " << q;
    }
}

std::string error_of(const std::vector<std::uint8_t>& bytes,
                     std::int64_t max_pixels = max_picture_pixels) {
    try {
        decode_image(bytes, "FILE", max_pixels);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

constexpr std::array<std::array<int, 3>, 4> in_colour{
    {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}}};
constexpr std::array<std::array<int, 3>, 4> in_grey{
    {{76, 76, 76}, {150, 150, 150}, {29, 29, 29}, {255, 255, 255}}};
constexpr std::array<std::array<int, 3>, 4> half_colour{
    {{128, 0, 0}, {0, 128, 0}, {0, 0, 128}, {128, 128, 128}}};

class PictureFile : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(PictureFile, IsReadUprightInColour) {
    const auto& [name, tolerance] = GetParam();
    expect_quarters(read_image(pictures / name), in_colour, tolerance);
}

INSTANTIATE_TEST_SUITE_P(, PictureFile,
                         testing::Values(std::pair("turned_2.jpg", 6), std::pair("turned_3.jpg", 6),
                                         std::pair("turned_4.jpg", 6), std::pair("turned_5.jpg", 6),
                                         std::pair("turned_6.jpg", 6), std::pair("turned_7.jpg", 6),
                                         std::pair("turned_8.jpg", 6), std::pair("turned_6.png", 0),
                                         std::pair("turned_6.webp", 0),
                                         std::pair("turned_3.tif", 0), std::pair("turned_6.tif", 0),
                                         std::pair("turned_8.tif", 0), std::pair("palette.png", 0),
                                         std::pair("cmyk.jpg", 6), std::pair("cmyk.tif", 2),
                                         std::pair("progressive.jpg", 6), std::pair("plain.bmp", 0),
                                         std::pair("plain.ppm", 0), std::pair("lossy.webp", 30),
                                         std::pair("deflate.tif", 0)),
                         [](const auto& info) {
                             std::string name = info.param.first;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

TEST(ImageFile, GreyBecomesThreeEqualChannels) {
    expect_quarters(read_image(pictures / "grey.png"), in_grey, 0);
    expect_quarters(read_image(pictures / "grey.jpg"), in_grey, 4);
    expect_quarters(read_image(pictures / "grey_16.png"), in_grey, 0);
    expect_quarters(read_image(pictures / "one_bit.png"),
                    {{{255, 255, 255}, {255, 255, 255}, {0, 0, 0}, {255, 255, 255}}}, 0);
}

TEST(ImageFile, AlphaIsLaidOverBlack) {
    expect_quarters(read_image(pictures / "half_transparent.png"), half_colour, 1);
    expect_quarters(read_image(pictures / "half_transparent.webp"), half_colour, 1);
    expect_quarters(read_image(pictures / "palette_transparent.png"),
                    {{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {0, 0, 0}}}, 0);
    expect_quarters(read_image(pictures / "grey_alpha.png"),
                    {{{38, 38, 38}, {75, 75, 75}, {15, 15, 15}, {128, 128, 128}}}, 1);
}

TEST(ImageFile, TooManyPixelsAreRefusedFromTheHeader) {
    for (const char* name :
         {"grey.png", "grey.jpg", "lossy.webp", "plain.bmp", "plain.ppm", "deflate.tif"}) {
        EXPECT_THAT(error_of(bytes_of(name), 24 * 16 - 1),
                    testing::HasSubstr("24x16 pixels is more than the limit"))
            << name;
        EXPECT_EQ(error_of(bytes_of(name), 24 * 16), "") << name;
    }
    // A header that announces 30000×30000 pixels, without the data: plain text, which may be of any
    // length.
    const std::string bomb = "P2 30000 30000 255\n1 2 3";
    EXPECT_THAT(error_of({bomb.begin(), bomb.end()}), testing::HasSubstr("limit of 100 million"));
}

TEST(ImageFile, CutFilesAreRefused) {
    for (const char* name :
         {"grey.png", "grey.jpg", "turned_6.jpg", "lossy.webp", "plain.bmp", "plain.ppm",
          "deflate.tif", "palette.png", "cmyk.jpg", "turned_6.tif"}) {
        const std::vector<std::uint8_t> whole = bytes_of(name);
        for (const std::size_t kept : {std::size_t{1}, std::size_t{9}, whole.size() / 3,
                                       whole.size() / 2, whole.size() - 20}) {
            if (kept >= whole.size()) continue;
            EXPECT_NE(error_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)}),
                      "")
                << name << " cut to " << kept;
        }
    }
}

TEST(ImageFile, DamagedPngIsRefused) {
    std::vector<std::uint8_t> bytes = bytes_of("grey.png");
    bytes[bytes.size() / 2] ^= 0x10;
    EXPECT_THAT(error_of(bytes), testing::HasSubstr("FILE: the PNG picture is damaged"));
}

TEST(ImageFile, OtherFilesAreNamedAsSuch) {
    const std::string text = "just words\n";
    EXPECT_THAT(error_of({text.begin(), text.end()}), testing::StartsWith("FILE: not a picture"));
    EXPECT_THAT(error_of({}), testing::HasSubstr("empty"));
    EXPECT_THAT(error_of(bytes_of("animated.webp")), testing::HasSubstr("animated WebP"));
    EXPECT_THAT(error_of(bytes_of("float.tif")), testing::HasSubstr("floating-point"));
    EXPECT_THROW(read_image(pictures / "missing.png"), Error);
    EXPECT_THROW(read_image(pictures), Error);
}

TEST(ImageFile, AnyPrefixAndAnyChangedByteEndsInAPictureOrAnError) {
    for (const auto& entry : std::filesystem::directory_iterator(pictures)) {
        const std::vector<std::uint8_t> whole = bytes_of(entry.path().filename());
        for (std::size_t i = 0; i < whole.size(); i += 7) {
            (void)error_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i)});
            std::vector<std::uint8_t> changed = whole;
            changed[i] = static_cast<std::uint8_t>(~changed[i]);
            (void)error_of(changed, 1'000'000);
        }
    }
}

TEST(ImageFile, TellsPicturesFromOtherFiles) {
    EXPECT_TRUE(is_picture_file(pictures / "cmyk.jpg"));
    EXPECT_TRUE(is_picture_file(pictures / "plain.ppm"));
    EXPECT_FALSE(is_picture_file(__FILE__));
    EXPECT_FALSE(is_picture_file(pictures));
    EXPECT_FALSE(is_picture_file(pictures / "missing.png"));
}

TEST(ImageFile, ViewIsAFrame) {
    const Image image = read_image(pictures / "plain.ppm");
    const FrameView frame = view(image);
    EXPECT_EQ(frame.format, PixelFormat::RGB);
    EXPECT_EQ(frame.width, 24);
    EXPECT_EQ(frame.strides[0], 72);
    EXPECT_EQ(frame.planes[0], image.pixels.data());
}

}  // namespace
}  // namespace seesay::vision
