// Whole films through the caption job: every frame, at its time, upright, in a format that players
// open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FilmJob : public ::testing::Test {
 protected:
    TemporaryFolder folder_;
    std::filesystem::path in(const std::string& name) const { return folder_.path() / name; }
    /// Captions `film` into `name` and expects exit code 0.
    std::filesystem::path captioned(const std::filesystem::path& film, const std::string& name,
                                    const Script& script = {{0.0, "a dog"}}) {
        ScriptedJob job(film, in(name), script);
        const auto result = job.run();
        EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result.incomplete);
        return in(name);
    }
};

TEST_F(FilmJob, KeepsFrameCountAndDuration) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 2, {"-pix_fmt", "yuv420p"});
    const auto output = captioned(film, "out.mp4");
    EXPECT_EQ(frame_count(output), 50);
    EXPECT_NEAR(duration(output), 2.0, 0.001);
}

TEST_F(FilmJob, KeepsVariableFrameTimes) {
    const auto film = make_film(in("a.mp4"), 160, 120, "30", 2,
                                {"-vf", "setpts='if(lt(N,30),N/30,1+(N-30)/5)/TB'", "-fps_mode",
                                 "vfr", "-enc_time_base", "1:90000"});
    EXPECT_LT(difference(times(film), times(captioned(film, "out.mp4"))), 1e-6);
    EXPECT_LT(difference(times(film), times(captioned(film, "out.mkv"))), 0.001);
}

TEST_F(FilmJob, KeepsTheLengthWhenFramesAreUneven) {
    const std::string slower = "setpts='if(lt(N,30),N/30,1+(N-30)/5)/TB'";
    const std::string faster = "setpts='if(lt(N,10),N/5,2+(N-10)/30)/TB'";
    for (const std::string& times : {slower, faster}) {
        const auto film = make_film(in("a.mp4"), 160, 120, "30", 2,
                                    {"-vf", times, "-fps_mode", "vfr", "-enc_time_base", "1:90000",
                                     "-c:v", "libx264", "-bf", "0"});
        const auto length = [](const std::filesystem::path& file) {
            return std::stod(stream(file, "video")["duration"].get<std::string>());
        };
        for (const char* name : {"out.mp4", "out.mkv"}) {
            EXPECT_NEAR(duration(captioned(film, name)), duration(film), 0.002) << times << name;
            std::filesystem::rename(in(name), in(std::string("last-").append(name)));
        }
        EXPECT_NEAR(length(in("last-out.mp4")), length(film), 0.002) << times;
        EXPECT_EQ(frame_count(in("last-out.mp4")), 60);
    }
}

TEST_F(FilmJob, KeepsTimesOfReorderedFrames) {
    const auto film = make_film(in("a.mkv"), 160, 120, "24000/1001", 2,
                                {"-c:v", "libx264", "-bf", "3", "-pix_fmt", "yuv420p"});
    EXPECT_LT(difference(times(film), times(captioned(film, "out.mkv"))), 1e-6);
}

TEST_F(FilmJob, KeepsAStartOffset) {
    std::vector<std::string> arguments = {"-f", "lavfi", "-i", "sine=d=2", "-itsoffset", "0.5"};
    const auto picture = test_picture(160, 120, "25", 1);
    arguments.insert(arguments.end(), picture.begin(), picture.end());
    arguments.insert(arguments.end(), {"-c:a", "aac", in("a.mkv").string()});
    run_ffmpeg(arguments);
    const auto output = captioned(in("a.mkv"), "out.mkv");
    EXPECT_NEAR(times(output).front() - times(output, "a:0").front(),
                times(in("a.mkv")).front() - times(in("a.mkv"), "a:0").front(), 0.0011);
}

TEST_F(FilmJob, BurnedTimesAreCheckedAgainstTheSource) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 1);
    ScriptedJob job(film, in("out.mkv"));
    job.run();
    EXPECT_THAT(job.notices, IsEmpty());
}

TEST_F(FilmJob, BurnedFilmsAreEightBitFourTwoZero) {
    for (const char* format : {"yuv444p", "yuv422p10le", "gray", "gbrp"}) {
        const auto film =
            make_film(in("a.mkv"), 160, 120, "10", 0.5, {"-c:v", "ffv1", "-pix_fmt", format});
        ScriptedJob job(film, in("out.mp4"));
        job.job.force = true;
        job.run();
        const auto video = stream(in("out.mp4"), "video");
        EXPECT_THAT(video["pix_fmt"].get<std::string>(), ::testing::AnyOf("yuv420p", "yuvj420p"))
            << format;
        EXPECT_EQ(video["profile"], "Constrained Baseline")
            << format;  // what x264 makes of "ultrafast"
        EXPECT_EQ(frame_count(in("out.mp4")), 5) << format;
    }
}

TEST_F(FilmJob, OddSizesLoseOnePixel) {
    const auto film =
        make_film(in("a.mkv"), 161, 121, "10", 0.5, {"-c:v", "ffv1", "-pix_fmt", "yuv420p"});
    const auto output = captioned(film, "out.mp4");
    EXPECT_EQ(stream(output, "video")["width"], 160);
    EXPECT_EQ(stream(output, "video")["height"], 120);
    const auto before = rgb_picture(film, 161, 121), after = rgb_picture(output, 160, 120);
    double error = 0.0;
    for (int y = 0; y < 120; ++y) {
        for (int x = 0; x < 160 * 3; ++x)
            error += std::abs(int{before[y * 161 * 3 + x]} - int{after[y * 160 * 3 + x]});
    }
    EXPECT_LT(error / (160 * 120 * 3), 12.0);  // a sheared picture differs by far more
}

TEST_F(FilmJob, TurnedFilmsAreUprightAndTurnedOnce) {
    // A film whose picture is white above and black below, stored lying on its side.
    run_ffmpeg({"-f", "lavfi", "-i", "color=white:s=96x64:r=10:d=0.5", "-vf",
                "pad=96:128:0:0:black,transpose=1", "-pix_fmt", "yuv420p",
                in("side.mp4").string()});
    run_ffmpeg({"-i", in("side.mp4").string(), "-c", "copy", "-metadata:s:v:0", "rotate=90",
                in("a.mp4").string()});
    const auto output = captioned(in("a.mp4"), "out.mp4");
    const auto video = stream(output, "video");
    EXPECT_EQ(video["width"], 96);
    EXPECT_EQ(video["height"], 128);
    EXPECT_FALSE(video.contains("side_data_list"));
    EXPECT_FALSE(video.contains("tags") && video["tags"].contains("rotate"));
    const auto picture = rgb_picture(output, 96, 128);
    EXPECT_GT(picture[(10 * 96 + 48) * 3], 200);
    EXPECT_LT(picture[(118 * 96 + 48) * 3], 55);
}

TEST_F(FilmJob, KeepsThePixelAspect) {
    const auto film = make_film(in("a.mkv"), 160, 120, "10", 0.5, {"-vf", "setsar=4/3"});
    EXPECT_EQ(stream(captioned(film, "out.mp4"), "video")["sample_aspect_ratio"], "4:3");
    EXPECT_EQ(stream(captioned(film, "out.mkv"), "video")["sample_aspect_ratio"], "4:3");
}

TEST_F(FilmJob, KeepsColourTags) {
    const auto film = make_film(in("a.mp4"), 160, 120, "10", 0.5,
                                {"-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries",
                                 "bt709", "-color_trc", "bt709", "-color_range", "tv"});
    const auto video = stream(captioned(film, "out.mp4"), "video");
    EXPECT_EQ(video["color_space"], "bt709");
    EXPECT_EQ(video["color_transfer"], "bt709");
    EXPECT_EQ(video["color_primaries"], "bt709");
    EXPECT_EQ(video["color_range"], "tv");
}

TEST_F(FilmJob, InventsNoColourTags) {
    const auto film = make_film(in("a.mp4"), 160, 120, "10", 0.5, {"-pix_fmt", "yuv420p"});
    EXPECT_FALSE(stream(captioned(film, "out.mp4"), "video").contains("color_space"));
}

TEST_F(FilmJob, HighDynamicRangeBecomesTaggedBt709) {
    const auto film =
        make_film(in("a.mkv"), 160, 120, "10", 0.5,
                  {"-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-colorspace", "bt2020nc",
                   "-color_primaries", "bt2020", "-color_trc", "smpte2084"});
    const auto video = stream(captioned(film, "out.mp4"), "video");
    EXPECT_EQ(video["color_space"], "bt709");
    EXPECT_EQ(video["color_transfer"], "bt709");
    EXPECT_EQ(video["color_primaries"], "bt709");
}

TEST_F(FilmJob, AlphaIsLaidOverBlack) {
    const auto film =
        make_film(in("a.mkv"), 160, 120, "10", 0.5,
                  {"-vf", "format=rgba,geq=r=255:g=255:b=255:a='if(lt(X,80),0,255)',format=bgra",
                   "-c:v", "ffv1"});
    const auto picture = rgb_picture(captioned(film, "out.mp4"), 160, 120);
    EXPECT_LT(picture[(60 * 160 + 20) * 3], 30);
    EXPECT_GT(picture[(60 * 160 + 140) * 3], 225);
}

TEST_F(FilmJob, InterlacedFilmsGiveOneFramePerFrame) {
    const auto film = make_film(in("a.mp4"), 160, 120, "50", 1,
                                {"-vf", "interlace=scan=tff", "-c:v", "libx264", "-flags",
                                 "+ilme+ildct", "-x264-params", "tff=1", "-pix_fmt", "yuv420p"});
    const auto output = captioned(film, "out.mp4");
    EXPECT_LT(difference(times(film), times(output)), 0.001);
    EXPECT_EQ(stream(output, "video")["field_order"], "progressive");
}

TEST_F(FilmJob, OneFrameIsAFilm) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 0.04, {"-frames:v", "1"});
    ScriptedJob job(film, in("out.mp4"));
    job.job.srt = in("out.srt").string();
    const auto result = job.run();
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(frame_count(in("out.mp4")), 1);
    EXPECT_EQ(read_file(in("out.srt")), "1\n00:00:00,000 --> 00:00:00,040\na dog runs\n\n");
}

TEST_F(FilmJob, RepairsRepeatedTimesWithOneNotice) {
    const auto film =
        make_film(in("a.mkv"), 160, 120, "25", 1, {"-bf", "0", "-bsf:v", "setts=ts=floor(N/2)*80"});
    ScriptedJob job(film, in("out.mkv"));
    EXPECT_EQ(job.run().exit_code, 0);
    const auto after = times(in("out.mkv"));
    EXPECT_EQ(after.size(), 25U);
    EXPECT_TRUE(std::adjacent_find(after.begin(), after.end(), std::greater_equal<>()) ==
                after.end());
    ASSERT_EQ(job.notices.size(), 1U);
    EXPECT_THAT(job.notices[0], HasSubstr("times were repaired"));
}

TEST_F(FilmJob, ASizeThatChangesIsScaledToTheFirst) {
    make_film(in("a.h264"), 160, 120, "10", 0.5, {"-bf", "0", "-f", "h264"});
    make_film(in("b.h264"), 128, 128, "10", 0.5, {"-bf", "0", "-f", "h264"});
    write_file(in("c.h264"), read_file(in("a.h264")) + read_file(in("b.h264")));
    const auto output = captioned(in("c.h264"), "out.mp4");
    EXPECT_EQ(frame_count(output), 10);
    EXPECT_EQ(stream(output, "video")["width"], 160);
    EXPECT_EQ(stream(output, "video")["height"], 120);
}

TEST_F(FilmJob, AnimationsKeepTheirDelaysAndEnd) {
    const auto film = make_film(in("a.gif"), 80, 60, "10", 0.5,
                                {"-vf", "setpts='N*N/10/TB'", "-fps_mode", "vfr", "-loop", "0"});
    const auto after = times(captioned(film, "out.mp4"));
    EXPECT_LT(difference(times(film), after), 0.001);
}

TEST_F(FilmJob, WebMHasVp9AndSubtitlesBesideIt) {
    std::vector<std::string> arguments = test_picture(160, 120, "10", 1);
    arguments.insert(arguments.end(), {"-f", "lavfi", "-i", "sine=d=1", "-c:a", "libopus", "-c:v",
                                       "libx264", in("a.mkv").string()});
    run_ffmpeg(arguments);
    const auto output = captioned(in("a.mkv"), "out.webm");
    EXPECT_EQ(stream(output, "video")["codec_name"], "vp9");
    EXPECT_EQ(stream(output, "audio")["codec_name"], "opus");
    EXPECT_EQ(streams(output).size(), 2U);
    EXPECT_LT(difference(times(in("a.mkv")), times(output)), 0.001);
    EXPECT_THAT(read_file(in("out.vtt")), HasSubstr("00:00:00.007 --> 00:00:01.007"));
}

TEST_F(FilmJob, OtherEncodersCanBeChosen) {
    const auto film = make_film(in("a.mkv"), 160, 120, "10", 0.5);
    for (const auto& [encoder, codec] : std::vector<std::pair<std::string, std::string>>{
             {"x265", "hevc"}, {"openh264", "h264"}, {"vp9", "vp9"}, {"vp8", "vp8"}}) {
        ScriptedJob job(film, in(encoder + ".mkv"));
        job.job.encoder = encoder;
        EXPECT_EQ(job.run().exit_code, 0) << encoder;
        EXPECT_EQ(stream(in(encoder + ".mkv"), "video")["codec_name"], codec);
        EXPECT_EQ(frame_count(in(encoder + ".mkv")), 5) << encoder;
    }
}

TEST_F(FilmJob, CuesPastADayKeepTheirTimes) {
    const auto film = make_film(in("a.mkv"), 64, 64, "1/3600", 93'600,
                                {"-preset", "ultrafast", "-pix_fmt", "yuv420p"});
    ScriptedJob job(film, in("out.mkv"), {{0.0, "first"}, {90'000.0, "last"}});
    job.job.srt = in("out.srt").string();
    EXPECT_EQ(job.run().exit_code, 0);
    EXPECT_THAT(read_file(in("out.srt")), HasSubstr("25:00:00,000 --> 26:00:00,000\nlast"));
    run_ffmpeg({"-i", in("out.mkv").string(), in("track.srt").string()});
    EXPECT_THAT(read_file(in("track.srt")), HasSubstr("25:00:00,000 --> 26:00:00,000\nlast"));
}

TEST_F(FilmJob, WithoutAnOutputNothingIsWritten) {
    const auto film = make_film(in("a.mkv"), 160, 120, "10", 1);
    ScriptedJob job(film, {}, {{0.0, "a"}, {0.5, "b"}});
    const auto result = job.run();
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.progress.frames, 10U);
    EXPECT_EQ(result.captions, 2U);
    EXPECT_THAT(job.captions, ElementsAre("a", "b"));
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("a.mkv"));
}

}  // namespace
}  // namespace seesay::testing
