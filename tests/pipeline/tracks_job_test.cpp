// What becomes of the other tracks, of chapters, attachments, tags and flags; and the caption
// track.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TracksJob : public ::testing::Test {
 protected:
    TemporaryFolder folder_;
    std::filesystem::path in(const std::string& name) const { return folder_.path() / name; }

    /// Matroska: video, two audio tracks of which the second is default, two subtitle tracks, two
    /// chapters, an attachment.
    std::filesystem::path rich_film() {
        write_file(in("e.srt"), "1\n00:00:00,000 --> 00:00:01,500\nEnglish line\n");
        write_file(in("f.srt"), "1\n00:00:00,200 --> 00:00:01,500\nLigne\n");
        write_file(
            in("m.txt"),
            ";FFMETADATA1\ntitle=Demo\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n"
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Two\n");
        write_file(in("font.ttf"), std::string(2000, 'f'));
        std::vector<std::string> arguments = test_picture(160, 120, "25", 2);
        for (const char* word :
             {"-f", "lavfi", "-i", "sine=f=440:d=2", "-f", "lavfi", "-i", "sine=f=660:d=2", "-i"})
            arguments.push_back(word);
        arguments.insert(arguments.end(), {in("e.srt"), "-i", in("f.srt"), "-i", in("m.txt")});
        for (const char* word : {"-map",
                                 "0",
                                 "-map",
                                 "1",
                                 "-map",
                                 "2",
                                 "-map",
                                 "3",
                                 "-map",
                                 "4",
                                 "-map_metadata",
                                 "5",
                                 "-map_chapters",
                                 "5",
                                 "-c:v",
                                 "libx264",
                                 "-pix_fmt",
                                 "yuv420p",
                                 "-c:a:0",
                                 "aac",
                                 "-c:a:1",
                                 "libopus",
                                 "-c:s",
                                 "srt",
                                 "-metadata:s:a:0",
                                 "language=eng",
                                 "-metadata:s:a:1",
                                 "language=fra",
                                 "-metadata:s:s:1",
                                 "language=fra",
                                 "-disposition:a:0",
                                 "0",
                                 "-disposition:a:1",
                                 "default",
                                 "-disposition:s:1",
                                 "forced",
                                 "-attach"}) {
            arguments.push_back(word);
        }
        arguments.insert(arguments.end(),
                         {in("font.ttf"), "-metadata:s:t", "mimetype=font/ttf", in("rich.mkv")});
        run_ffmpeg(arguments);
        return in("rich.mkv");
    }
};

std::string language(const nlohmann::json& stream) {
    return stream.value("tags", nlohmann::json::object()).value("language", std::string("none"));
}

std::string title(const nlohmann::json& stream) {
    return stream.value("tags", nlohmann::json::object()).value("title", std::string());
}

TEST_F(TracksJob, EveryOtherTrackIsCopiedBitForBit) {
    const auto film = rich_film();
    ScriptedJob job(film, in("out.mkv"));
    EXPECT_EQ(job.run().exit_code, 0);
    const auto before = streams(film);
    auto after = streams(in("out.mkv"));
    // Readers list attachments last, so the caption track stands before them.
    std::erase_if(after, [](const auto& track) { return title(track) == "Captions (seesay)"; });
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 1; i < before.size(); ++i) {
        SCOPED_TRACE(before[i]["codec_type"]);
        EXPECT_EQ(after[i]["codec_type"], before[i]["codec_type"]);
        EXPECT_EQ(after[i].value("codec_name", ""), before[i].value("codec_name", ""));
        EXPECT_EQ(language(after[i]), language(before[i]));
        EXPECT_EQ(after[i]["disposition"], before[i]["disposition"]);
        if (before[i]["codec_type"] == "attachment") continue;
        const int index = static_cast<int>(i);
        EXPECT_EQ(packet_hash(in("out.mkv"), index), packet_hash(film, index));
        EXPECT_EQ(times(in("out.mkv"), std::to_string(i)), times(film, std::to_string(i)));
    }
    const auto told = probe(in("out.mkv"), {"-show_chapters", "-show_format"});
    ASSERT_EQ(told["chapters"].size(), 2U);
    EXPECT_EQ(told["chapters"][1]["tags"]["title"], "Two");
    EXPECT_EQ(told["chapters"][1]["start_time"], "1.000000");
    EXPECT_EQ(told["format"]["tags"]["title"], "Demo");
}

TEST_F(TracksJob, AttachmentsAreKept) {
    ScriptedJob job(rich_film(), in("out.mkv"));
    job.run();
    run_ffmpeg(
        {"-dump_attachment:t:0", in("dumped"), "-i", in("out.mkv"), "-t", "0", "-f", "null", "-"});
    EXPECT_EQ(read_file(in("dumped")), std::string(2000, 'f'));
}

TEST_F(TracksJob, TracksThatDoNotFitAreNamedWithAContainerThatHoldsThem) {
    const auto film = rich_film();
    ScriptedJob job(film, in("out.mp4"));
    const auto result = job.run();
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.incomplete,
                Contains(AllOf(HasSubstr("subrip"), HasSubstr("fra"), HasSubstr(".mkv"))));
    EXPECT_THAT(result.incomplete, Contains(AllOf(HasSubstr("font.ttf"), HasSubstr(".mkv"))));
    EXPECT_EQ(packet_hash(in("out.mp4"), 1), packet_hash(film, 1));
}

TEST_F(TracksJob, LeftOutTracksAreFineIfAskedFor) {
    ScriptedJob job(rich_film(), in("out.mp4"));
    job.job.drop_tracks = true;
    EXPECT_EQ(job.run().exit_code, 0);
}

TEST_F(TracksJob, LeftOutTracksAreToldOnce) {
    ScriptedJob job(rich_film(), in("out.mp4"));
    EXPECT_FALSE(job.run().incomplete.empty());
    EXPECT_THAT(job.notices, Each(Not(HasSubstr("left out"))));
}

TEST_F(TracksJob, TheSkeletonOfAnOggFileIsNoLoss) {
    gst_init(nullptr, nullptr);
    const std::string launch =
        "videotestsrc num-buffers=10 ! theoraenc ! oggmux skeleton=true ! filesink location=" +
        in("a.ogv").string();
    GstElement* pipeline = gst_parse_launch(launch.c_str(), nullptr);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus* bus = gst_element_get_bus(pipeline);
    gst_message_unref(gst_bus_timed_pop_filtered(
        bus, 30 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    ASSERT_EQ(streams(in("a.ogv")).size(), 2U);
    ScriptedJob job(in("a.ogv"), in("out.mp4"));
    EXPECT_EQ(job.run().exit_code, 0);
    EXPECT_EQ(frame_count(in("out.mp4")), 10);
}

TEST_F(TracksJob, AudioThatBeginsBeforeZeroMovesNothing) {
    std::vector<std::string> arguments = test_picture(160, 120, "25", 1);
    arguments.insert(arguments.end(), {"-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac",
                                       "-metadata:s:a:0", "title=Speech", in("a.mp4")});
    run_ffmpeg(arguments);
    for (const char* name : {"out.mkv", "out.mp4"}) {
        ScriptedJob job(in("a.mp4"), in(name));
        EXPECT_EQ(job.run().exit_code, 0);
        EXPECT_DOUBLE_EQ(times(in(name)).front(), 0.0);
        EXPECT_EQ(packet_hash(in(name), 1), packet_hash(in("a.mp4"), 1));
        EXPECT_NEAR(times(in(name), "a:0").front(), times(in("a.mp4"), "a:0").front(), 0.001);
    }
    EXPECT_EQ(
        stream(in("out.mkv"), "audio").value("tags", nlohmann::json::object()).value("title", ""),
        stream(in("a.mp4"), "audio")["tags"].value("title", ""));
}

TEST_F(TracksJob, TheCaptionTrackHasTheCues) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 3);
    for (const char* name : {"out.mkv", "out.mp4"}) {
        ScriptedJob job(film, in(name),
                        {{0.4, "a dog runs"}, {1.0, "two <b>dogs</b> & a ball"}, {2.52, "snow"}});
        EXPECT_EQ(job.run().exit_code, 0);
        run_ffmpeg({"-i", in(name), in("track.srt")});
        const std::string cues = read_file(in("track.srt"));
        EXPECT_THAT(cues, HasSubstr("1\n00:00:00,400 --> 00:00:01,000\na dog "
                                    "runs\n\n2\n00:00:01,000 --> 00:00:02,520\n"))
            << name;
        EXPECT_THAT(cues, HasSubstr("3\n00:00:02,520 --> 00:00:03,000\nsnow\n")) << name;
        EXPECT_EQ(stream(in(name), "subtitle")["tags"]["language"], "eng");
    }
    // What looks like mark-up is broken up where players read mark-up, and only there.
    EXPECT_THAT(read_file(in("out.mp4")), HasSubstr("two <b>dogs</b> & a ball"));
    EXPECT_THAT(read_file(in("out.mkv")), HasSubstr("two <\xE2\x81\xA0"
                                                    "b>dogs<\xE2\x81\xA0/b> & a ball"));
}

TEST_F(TracksJob, CaptionsAreInterleavedWithTheVideo) {
    const auto film = make_film(in("a.mkv"), 160, 120, "5", 60, {"-preset", "ultrafast"});
    ScriptedJob job(film, in("out.mkv"), {{0.0, "a"}, {30.0, "b"}});
    job.run();
    double video = 0.0;
    const auto told = probe(in("out.mkv"), {"-show_entries", "packet=pts_time,codec_type"});
    for (const auto& packet : told["packets"]) {
        const double time = std::stod(packet["pts_time"].get<std::string>());
        if (packet["codec_type"] == "video") video = std::max(video, time);
        if (packet["codec_type"] == "subtitle") {
            EXPECT_NEAR(time, video, 3.0);
        }
    }
}

TEST_F(TracksJob, BurnedCaptionsAreNotSwitchedOnTwice) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 1);
    for (const char* name : {"out.mkv", "out.mp4"}) {
        ScriptedJob job(film, in(name));
        job.run();
        EXPECT_EQ(stream(in(name), "subtitle")["disposition"]["default"], 0) << name;
    }
}

TEST_F(TracksJob, WithoutBurningTheVideoIsCopiedAndCaptionsAreDefault) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2", "-c:v", "libx264", "-bf", "2",
                "-pix_fmt", "yuv420p", in("plain.mp4")});
    run_ffmpeg({"-i", in("plain.mp4"), "-c", "copy", "-metadata:s:v:0", "rotate=90", in("a.mp4")});
    for (const char* name : {"out.mp4", "out.mkv"}) {
        ScriptedJob job(in("a.mp4"), in(name));
        job.job.burn = false;
        EXPECT_EQ(job.run().exit_code, 0);
        EXPECT_EQ(packet_hash(in(name), 0), packet_hash(in("a.mp4"), 0)) << name;
        EXPECT_EQ(times(in(name)).size(), 50U) << name;
        EXPECT_NEAR(times(in(name)).back(), times(in("a.mp4")).back(), 0.001) << name;
        EXPECT_EQ(stream(in(name), "subtitle")["disposition"]["default"], 1) << name;
    }
    const auto video = stream(in("out.mp4"), "video");
    ASSERT_TRUE(video.contains("side_data_list"));
    EXPECT_EQ(video["side_data_list"], stream(in("a.mp4"), "video")["side_data_list"]);
}

TEST_F(TracksJob, VideoThatCannotBeCopiedNamesAContainer) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 1, {"-c:v", "ffv1"});
    ScriptedJob job(film, in("out.mp4"));
    job.job.burn = false;
    EXPECT_THAT(job.error(), AllOf(HasSubstr("ffv1"), HasSubstr(".mkv")));
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("a.mkv"));
}

TEST_F(TracksJob, AnimatedPicturesAreNotCopiedIntoFilms) {
    for (const char* name : {"a.gif", "a.apng"}) {
        run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=1", in(name)});
        ScriptedJob job(in(name), in("out.mkv"));
        job.job.burn = false;
        EXPECT_THAT(job.error(), HasSubstr("cannot be copied")) << name;
    }
}

TEST_F(TracksJob, CopiedVideoWhoseFirstTimesAreMissingKeepsItsLength) {
    // Matroska has no times below zero: the first second comes out without any.
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 2,
                                {"-c:v", "libx264", "-bf", "0", "-avoid_negative_ts", "disabled",
                                 "-output_ts_offset", "-1"});
    ScriptedJob job(film, in("out.mp4"));
    job.job.burn = false;
    EXPECT_EQ(job.run().exit_code, 0);
    const auto copied = times(in("out.mp4"));
    ASSERT_EQ(copied.size(), 50U);
    EXPECT_NEAR(copied.back() - copied.front(), 1.96, 0.1);
}

TEST_F(TracksJob, BroadcastsStartAtZero) {
    std::vector<std::string> arguments = test_picture(160, 120, "25", 2);
    arguments.insert(arguments.end(), {"-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264", "-bf",
                                       "2", "-c:a", "aac", in("a.ts")});
    run_ffmpeg(arguments);
    ScriptedJob job(in("a.ts"), in("out.mp4"));
    EXPECT_EQ(job.run().exit_code, 0);
    const auto before = times(in("a.ts")), after = times(in("out.mp4"));
    ASSERT_EQ(before.size(), after.size());
    const double video_lead = before.front() - times(in("a.ts"), "a:0").front();
    EXPECT_NEAR(after.front() - times(in("out.mp4"), "a:0").front(), video_lead, 0.001);
    EXPECT_LT(std::min(after.front(), times(in("out.mp4"), "a:0").front()), 0.001);
}

TEST_F(TracksJob, TheChosenVideoTrackIsTold) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=160x120:r=10:d=1", "-f", "lavfi", "-i",
                "testsrc2=s=96x96:r=10:d=1", "-map", "0", "-map", "1", "-disposition:v:0", "0",
                "-disposition:v:1", "default", in("a.mkv")});
    ScriptedJob job(in("a.mkv"), in("out.mkv"));
    EXPECT_EQ(job.run().exit_code, 0);
    EXPECT_THAT(job.notices, Contains(HasSubstr("of 2 video tracks, track 1 (h264, 96x96)")));
    EXPECT_EQ(packet_hash(in("out.mkv"), 0), packet_hash(in("a.mkv"), 0));
    EXPECT_NE(packet_hash(in("out.mkv"), 1), packet_hash(in("a.mkv"), 1));
}

}  // namespace
}  // namespace seesay::testing
