// Whatever format a picture comes in, the model sees the same colours in the same places.
#include "elements/features/frame_view_map.hpp"

#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "models/error.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::elements {
namespace {

using Colour = std::array<int, 3>;
/// Quadrants of the test picture: top left, top right, bottom left, bottom right.
constexpr std::array<Colour, 4> kQuadrants{Colour{200, 40, 40}, Colour{40, 180, 60},
                                           Colour{50, 60, 190}, Colour{220, 210, 60}};

GstBuffer* quadrants_rgb(int width, int height) {
    const int stride = GST_ROUND_UP_4(width * 3);
    GstBuffer* buffer =
        gst_buffer_new_allocate(nullptr, static_cast<gsize>(stride * height), nullptr);
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_WRITE);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const Colour& colour =
                kQuadrants.at((y * 2 >= height ? 2U : 0U) + (x * 2 >= width ? 1U : 0U));
            for (int c = 0; c < 3; ++c)
                map.data[y * stride + x * 3 + c] = static_cast<guint8>(colour.at(c));
        }
    }
    gst_buffer_unmap(buffer, &map);
    GST_BUFFER_PTS(buffer) = 0;
    return buffer;
}

void expect_quadrants(const vision::FrameView& view, int tolerance) {
    vision::Preprocessing preprocessing;
    preprocessing.width = preprocessing.height = 8;
    const auto image = vision::preprocess(view, preprocessing).image;
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
        const int x = quadrant % 2 == 0 ? 1 : 6;
        const int y = quadrant < 2 ? 1 : 6;
        for (int c = 0; c < 3; ++c) {
            EXPECT_NEAR(image.pixels.at((y * 8 + x) * 3 + c), kQuadrants.at(quadrant).at(c),
                        tolerance)
                << "quadrant " << quadrant << ", channel " << c;
        }
    }
}

class FrameView : public ::testing::TestWithParam<std::string> {
 protected:
    void SetUp() override { gst_init(nullptr, nullptr); }
};

TEST_P(FrameView, ShowsTheColoursOfThePicture) {
    GstHarness* harness = gst_harness_new_parse("videoconvert");
    gst_harness_set_src_caps_str(harness,
                                 "video/x-raw,format=RGB,width=66,height=46,framerate=25/1");
    const std::string caps = "video/x-raw,width=66,height=46,framerate=25/1," + GetParam();
    gst_harness_set_sink_caps_str(harness, caps.c_str());
    GstBuffer* buffer = gst_harness_push_and_pull(harness, quadrants_rgb(66, 46));
    ASSERT_NE(buffer, nullptr);
    GstCaps* negotiated = gst_pad_get_current_caps(harness->sinkpad);
    GstVideoInfo info;
    ASSERT_TRUE(gst_video_info_from_caps(&info, negotiated));
    gst_caps_unref(negotiated);
    {
        const MappedFrame mapped(info, buffer);
        EXPECT_EQ(mapped.view().width, 66);
        expect_quadrants(mapped.view(), 4);
    }
    gst_buffer_unref(buffer);
    gst_harness_teardown(harness);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, FrameView,
    ::testing::Values("format=I420", "format=YV12", "format=NV12", "format=NV21", "format=Y42B",
                      "format=Y444", "format=RGB", "format=BGR", "format=RGBx", "format=BGRx",
                      "format=xRGB", "format=xBGR", "format=RGBA", "format=BGRA", "format=ARGB",
                      "format=ABGR", "format=I420,colorimetry=bt601",
                      "format=I420,colorimetry=bt709", "format=I420,colorimetry=bt2020",
                      "format=NV12,colorimetry=(string)1:4:0:0",
                      "format=Y444,colorimetry=(string)1:3:0:0"));

TEST_F(FrameView, HonoursStridesOfTheVideoMeta) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGB, 10, 8);
    gsize offsets[] = {100};
    gint strides[] = {64};
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 100 + 64 * 8, nullptr);
    gst_buffer_memset(buffer, 0, 0, 100 + 64 * 8);
    GstBuffer* source = quadrants_rgb(10, 8);
    GstMapInfo map;
    gst_buffer_map(source, &map, GST_MAP_READ);
    for (gsize y = 0; y < 8; ++y)
        gst_buffer_fill(buffer, 100 + 64 * y, map.data + 32 * y, 30);
    gst_buffer_unmap(source, &map);
    gst_buffer_unref(source);
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGB, 10, 8,
                                   1, offsets, strides);
    {
        const MappedFrame mapped(info, buffer);
        expect_quadrants(mapped.view(), 1);
    }
    gst_buffer_unref(buffer);
}

TEST_F(FrameView, HonoursTheCropMeta) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGB, 40, 24);
    GstBuffer* buffer = quadrants_rgb(40, 24);
    GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer);
    crop->x = 10;
    crop->y = 6;
    crop->width = 20;
    crop->height = 12;
    {
        const MappedFrame mapped(info, buffer);
        EXPECT_EQ(mapped.view().width, 20);
        EXPECT_EQ(mapped.view().height, 12);
        expect_quadrants(mapped.view(), 1);
    }
    crop->x = 20;  // the right half only
    {
        const MappedFrame mapped(info, buffer);
        EXPECT_EQ(mapped.view().planes[0][0], kQuadrants[1][0]);
    }
    gst_buffer_unref(buffer);
}

TEST_F(FrameView, RefusesBuffersThatHoldNoFrame) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 40, 24);
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 40, nullptr);
    EXPECT_THROW(MappedFrame(info, buffer), Error);
    gst_buffer_unref(buffer);
}

TEST_F(FrameView, GreyWithOddSizeIsReadWhole) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 17, 5);
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, info.size, nullptr);
    gst_buffer_memset(buffer, 0, 0x80, info.size);
    {
        const MappedFrame mapped(info, buffer);
        EXPECT_EQ(mapped.view().width, 17);
        EXPECT_EQ(mapped.view().strides[0], 20);
    }
    gst_buffer_unref(buffer);
}

TEST_F(FrameView, VariableRatesPromiseNoDuration) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 16, 16);
    info.fps_n = 0;
    EXPECT_EQ(nominal_duration_ns(info), 0);
    info.fps_n = 25;
    EXPECT_EQ(nominal_duration_ns(info), 40'000'000);
}

}  // namespace
}  // namespace seesay::elements
