// seesaysource as an element: both readers, turning, seeking, errors. Films are made by the ffmpeg
// program.
#include <gmock/gmock.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "elements/source/seesaysource.hpp"
#include "elements/source/still_picture.hpp"
#include "tests/pipeline/file_server.hpp"
#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using ::testing::HasSubstr;

/// What came out of a seesaysource.
struct Played {
    std::vector<GstClockTime> times;
    std::string error;
    std::vector<std::string> warnings;
    int width = 0;
    int height = 0;
    std::string format;
};

class Source : public ::testing::Test {
 protected:
    Source() {
        gst_init(nullptr, nullptr);
        static const gboolean registered = gst_plugin_register_static(
            GST_VERSION_MAJOR, GST_VERSION_MINOR, "sourcetest", "test",
            [](GstPlugin* plugin) -> gboolean { return elements::register_source(plugin); }, "1",
            "MIT/X11", "t", "t", "t");
        EXPECT_TRUE(registered);
    }

    std::filesystem::path in(const std::string& name) const { return folder_.path() / name; }

    /// Plays `uri` to the end; with `seek_to` from there on.
    Played play(const std::string& uri, const std::string& reader = "auto",
                GstClockTime seek_to = GST_CLOCK_TIME_NONE) {
        GstElement* pipeline = gst_parse_launch(
            "seesaysource name=s timeout=5 ! fakesink name=k sync=false signal-handoffs=true",
            nullptr);
        GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline), "s");
        GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "k");
        gst_util_set_object_arg(G_OBJECT(source), "reader", reader.c_str());
        g_object_set(source, "uri", uri.c_str(), nullptr);
        Played played;
        gst_element_set_state(pipeline, GST_STATE_PAUSED);
        gst_element_get_state(pipeline, nullptr, nullptr, 20 * GST_SECOND);
        if (GST_CLOCK_TIME_IS_VALID(seek_to)) {
            EXPECT_TRUE(gst_element_seek_simple(
                pipeline, GST_FORMAT_TIME,
                static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                static_cast<gint64>(seek_to)));
            gst_element_get_state(pipeline, nullptr, nullptr, 20 * GST_SECOND);
        }
        g_signal_connect(sink, "handoff", G_CALLBACK(on_frame), &played);
        gst_element_set_state(pipeline, GST_STATE_PLAYING);
        wait(pipeline, played);
        GstPad* pad = gst_element_get_static_pad(sink, "sink");
        if (GstCaps* caps = gst_pad_get_current_caps(pad)) {
            const GstStructure* structure = gst_caps_get_structure(caps, 0);
            gst_structure_get_int(structure, "width", &played.width);
            gst_structure_get_int(structure, "height", &played.height);
            played.format = gst_structure_get_string(structure, "format");
            gst_caps_unref(caps);
        }
        gst_object_unref(pad);
        gst_element_set_state(pipeline, GST_STATE_NULL);
        gst_object_unref(sink);
        gst_object_unref(source);
        gst_object_unref(pipeline);
        return played;
    }

    TemporaryFolder folder_;

 private:
    static void on_frame(GstElement*, GstBuffer* buffer, GstPad*, gpointer played) {
        static_cast<Played*>(played)->times.push_back(GST_BUFFER_PTS(buffer));
    }

    static void wait(GstElement* pipeline, Played& played) {
        GstBus* bus = gst_element_get_bus(pipeline);
        for (bool going = true; going;) {
            GstMessage* message = gst_bus_timed_pop_filtered(
                bus, 30 * GST_SECOND,
                static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR |
                                            GST_MESSAGE_WARNING));
            if (message == nullptr) {
                ADD_FAILURE() << "nothing happened for 30 s";
                break;
            }
            GError* error = nullptr;
            if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
                gst_message_parse_warning(message, &error, nullptr);
                played.warnings.emplace_back(error->message);
            } else {
                going = false;
                if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
                    gst_message_parse_error(message, &error, nullptr);
                    played.error = error->message;
                }
            }
            g_clear_error(&error);
            gst_message_unref(message);
        }
        gst_object_unref(bus);
    }
};

TEST_F(Source, BothReadersGiveEveryFrame) {
    const auto film = make_film(in("a b.mkv"), 160, 120, "25", 1, {"-pix_fmt", "yuv420p"});
    // A handoff handler that comes after the first frame has prerolled misses that one.
    EXPECT_GE(play(film.string()).times.size(), 24U);
    EXPECT_GE(play(film.string(), "stream").times.size(), 24U);
    gchar* uri = gst_filename_to_uri(film.c_str(), nullptr);
    EXPECT_GE(play(uri).times.size(), 24U);
    g_free(uri);
}

TEST_F(Source, FormatsThatElementsTakeStayAsTheyAre) {
    for (const auto& [format, expected] :
         std::vector<std::pair<std::string, std::string>>{{"yuv422p", "Y42B"},
                                                          {"yuv444p", "Y444"},
                                                          {"gray", "GRAY8"},
                                                          {"yuv420p10le", "I420"}}) {
        const auto film =
            make_film(in("a.mkv"), 160, 120, "10", 0.3, {"-c:v", "ffv1", "-pix_fmt", format});
        EXPECT_EQ(play(film.string()).format, expected);
    }
}

TEST_F(Source, PicturesAreTurnedByTheirExifTag) {
    for (int orientation = 2; orientation <= 8; ++orientation) {
        const Played played = play(std::string(SEESAY_FIXTURES) + "/pictures/turned_" +
                                   std::to_string(orientation) + ".jpg");
        const auto upright = play(std::string(SEESAY_FIXTURES) +
                                  "/pictures/turned_2.jpg");  // mirrored only: same size
        EXPECT_EQ(played.width, upright.width) << orientation;
        EXPECT_EQ(played.height, upright.height) << orientation;
    }
}

TEST_F(Source, BothReadersTurnFilmsByTheirMatrix) {
    make_film(in("plain.mp4"), 160, 120, "10", 0.5, {"-pix_fmt", "yuv420p"});
    run_ffmpeg({"-i", in("plain.mp4"), "-c", "copy", "-metadata:s:v:0", "rotate=90", in("a.mp4")});
    for (const char* reader : {"film", "stream"}) {
        const Played played = play(in("a.mp4"), reader);
        EXPECT_EQ(played.width, 120) << reader;
        EXPECT_EQ(played.height, 160) << reader;
    }
}

TEST_F(Source, SeeksToTheFrameThatIsAskedFor) {
    const auto film =
        make_film(in("a.mkv"), 160, 120, "25", 4, {"-g", "25", "-pix_fmt", "yuv420p"});
    const Played played = play(film.string(), "film", 2 * GST_SECOND + 20 * GST_MSECOND);
    ASSERT_FALSE(played.times.empty());
    EXPECT_NEAR(static_cast<double>(played.times.front()), 2.04e9, 0.05e9);
    EXPECT_NEAR(static_cast<double>(played.times.back()), 3.96e9, 0.01e9);
}

TEST_F(Source, SoundAloneIsAnErrorInBothReaders) {
    run_ffmpeg({"-f", "lavfi", "-i", "sine=d=1", in("a.mp4")});
    EXPECT_THAT(play(in("a.mp4"), "film").error, HasSubstr("no video track"));
    EXPECT_THAT(play(in("a.mp4"), "stream").error, HasSubstr("no video track"));
}

TEST_F(Source, ErrorsNameTheFile) {
    write_file(in("a.mp4"), "this is no film");
    EXPECT_THAT(play(in("a.mp4")).error, HasSubstr("a.mp4: not a film"));
    EXPECT_THAT(play(in("none.mp4")).error, HasSubstr("none.mp4: no such file"));
    EXPECT_THAT(play("").error, HasSubstr("uri"));
}

TEST_F(Source, FilesOnServersAreFilms) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 1, {"-c:v", "libx264", "-bf", "2"});
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=160x120:r=10:d=1", in("a.gif")});
    const FileServer server(folder_.path());
    EXPECT_EQ(play(server.address("a.mp4")).times, play(film.string()).times);
    EXPECT_EQ(play(server.address("a.gif")).times.size(), 10U);
    EXPECT_THAT(play(server.address("none.mp4")).error, AllOf(HasSubstr("none"), HasSubstr("404")));
}

TEST_F(Source, PlaysAgainAfterItWasStopped) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 0.5);
    GstElement* pipeline = gst_parse_launch("seesaysource name=s ! fakesink sync=false", nullptr);
    GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline), "s");
    g_object_set(source, "uri", film.c_str(), nullptr);
    gst_object_unref(source);
    GstBus* bus = gst_element_get_bus(pipeline);
    for (int run = 0; run < 3; ++run) {
        gst_element_set_state(pipeline, GST_STATE_PLAYING);
        GstMessage* message = gst_bus_timed_pop_filtered(
            bus, 30 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
        ASSERT_NE(message, nullptr);
        EXPECT_EQ(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS);
        gst_message_unref(message);
        gst_element_set_state(pipeline, GST_STATE_NULL);
    }
    gst_object_unref(bus);
    gst_object_unref(pipeline);
}

TEST_F(Source, PicturesAreToldFromAnimations) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=64x64:r=5:d=1", "-f", "apng", in("a.apng")});
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=64x64:r=5:d=1", "-f", "mjpeg", in("a.mjpeg")});
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", "1", in("still.png")});
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", "1", in("still.jpg")});
    EXPECT_TRUE(elements::is_animated_picture(in("a.apng")));
    EXPECT_TRUE(elements::is_animated_picture(in("a.mjpeg")));
    EXPECT_TRUE(
        elements::is_animated_picture(std::string(SEESAY_FIXTURES) + "/pictures/animated.webp"));
    EXPECT_FALSE(elements::is_animated_picture(in("still.png")));
    EXPECT_FALSE(elements::is_animated_picture(in("still.jpg")));
    EXPECT_FALSE(elements::is_animated_picture(in("none")));
}

}  // namespace
}  // namespace seesay::testing
