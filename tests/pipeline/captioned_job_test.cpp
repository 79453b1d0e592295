// The job with networks (tiny ones): events, subtitles, figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CaptionedJob : public ::testing::Test {
 protected:
    TemporaryFolder folder_;
    fixtures::TinyPackages packages_ = fixtures::make_tiny_packages(folder_.path() / "packages");

    std::filesystem::path in(const std::string& name) const { return folder_.path() / name; }

    void use_networks(ScriptedJob& job) const {
        job.job.middle = nullptr;
        job.job.package = packages_.captioner.string();
        job.job.interval = 0.5;
    }

    std::vector<nlohmann::json> events(const std::string& name) const {
        std::istringstream lines(read_file(in(name)));
        std::vector<nlohmann::json> result;
        for (std::string line; std::getline(lines, line);)
            result.push_back(nlohmann::json::parse(line));
        return result;
    }
};

TEST_F(CaptionedJob, EventsTellTheFramesTimes) {
    const auto film = make_film(in("a.mkv"), 160, 120, "30000/1001", 2);
    ScriptedJob job(film, in("out.mkv"));
    use_networks(job);
    job.job.jsonl = in("a.jsonl").string();
    EXPECT_EQ(job.run().exit_code, 0);
    const auto frames = times(film);
    const auto all = events("a.jsonl");
    ASSERT_GE(all.size(), 4U);
    for (const auto& event : all) {
        const double time = event["pts_ns"].get<double>() * 1e-9;
        EXPECT_TRUE(std::any_of(frames.begin(), frames.end(), [&](double frame) {
            return std::abs(frame - time) < 1e-3;
        })) << time;
        EXPECT_TRUE(event["attention"].contains("weights"));
        EXPECT_GT(event["segment"]["end_ns"], event["segment"]["start_ns"]);
    }
    EXPECT_TRUE(all.back()["segment"]["final"].get<bool>());
    EXPECT_EQ(all.front()["stream"], "a.mkv");
}

// The events of a run without what differs between runs: its id, clocks and latencies.
std::vector<nlohmann::json> comparable(std::vector<nlohmann::json> events) {
    for (auto& event : events) {
        for (const char* key : {"run_id", "wall_clock", "published_at", "latency_ms"})
            EXPECT_EQ(event.erase(key), 1U) << key;
    }
    return events;
}

TEST_F(CaptionedJob, TheSameFilmGivesTheSameEventsAndKeepsItsFramesAndLength) {
    // Frames at uneven times, the last of them short, and sound that ends before.
    auto arguments = test_picture(160, 120, "25", 3);
    arguments.insert(arguments.end(), {"-f", "lavfi", "-i", "sine=d=2", "-vf",
                                       "setpts='if(lt(N,25),N/25,1+(N-25)/10)/TB'", "-fps_mode",
                                       "vfr", "-enc_time_base", "1:90000", "-c:v", "libx264", "-bf",
                                       "0", "-pix_fmt", "yuv420p", "-c:a", "aac", in("a.mp4")});
    run_ffmpeg(arguments);
    std::vector<std::vector<nlohmann::json>> runs;
    for (const std::string name : {"1", "2"}) {
        ScriptedJob job(in("a.mp4"), in(name + ".mp4"));
        use_networks(job);
        job.job.mode = "every";
        job.job.jsonl = in(name + ".jsonl").string();
        EXPECT_EQ(job.run().exit_code, 0);
        runs.push_back(comparable(events(name + ".jsonl")));
        const auto frames = times(in("a.mp4"));
        EXPECT_EQ(times(in(name + ".mp4")).size(), frames.size());
        EXPECT_LT(difference(frames, times(in(name + ".mp4"))), 0.001);
        EXPECT_NEAR(duration(in(name + ".mp4")), duration(in("a.mp4")), 0.001);
        for (const auto& event : runs.back()) {
            const double time = event["pts_ns"].get<double>() * 1e-9;
            EXPECT_THAT(frames, Contains(DoubleNear(time, 1e-3)));
        }
    }
    EXPECT_GT(runs[0].size(), 6U);
    EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(CaptionedJob, SubtitlesHoldTheEventsTexts) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 2);
    ScriptedJob job(film);
    use_networks(job);
    job.job.jsonl = in("a.jsonl").string();
    job.job.vtt = in("a.vtt").string();
    job.run();
    const std::string cues = read_file(in("a.vtt"));
    for (const auto& event : events("a.jsonl")) {
        if (event["segment"]["final"].get<bool>()) {
            EXPECT_THAT(cues, HasSubstr(event["text"].get<std::string>()));
        }
    }
}

TEST_F(CaptionedJob, CaptionsAreDrawnIntoThePicture) {
    const auto film = make_film(in("a.mkv"), 320, 240, "10", 1);
    for (const char* name : {"plain.mp4", "captioned.mp4"}) {
        ScriptedJob job(film, in(name));
        if (std::string(name) == "captioned.mp4") use_networks(job);
        EXPECT_EQ(job.run().exit_code, 0);
    }
    EXPECT_NE(rgb_picture(in("plain.mp4"), 320, 240), rgb_picture(in("captioned.mp4"), 320, 240));
}

TEST_F(CaptionedJob, APictureGivesACaptionAndAFigure) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=200x100", "-frames:v", "1", in("a.png")});
    ScriptedJob job(in("a.png"), in("figure.png"));
    use_networks(job);
    job.job.jsonl = in("a.jsonl").string();
    job.job.srt = in("a.srt").string();
    EXPECT_EQ(job.run().exit_code, 0);
    ASSERT_EQ(job.captions.size(), 1U);
    const auto all = events("a.jsonl");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0]["text"], job.captions[0]);
    EXPECT_EQ(all[0]["attention"]["picture"], (nlohmann::json{{"width", 200}, {"height", 100}}));
    EXPECT_THAT(read_file(in("a.srt")), HasSubstr(job.captions[0]));
    EXPECT_GT(stream(in("figure.png"), "video")["width"], 300);
    EXPECT_THAT(names_in(folder_.path()), Each(Not(HasSubstr(".part."))));
}

TEST_F(CaptionedJob, APictureDoesNotBecomeAFilm) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=200x100", "-frames:v", "1", in("a.jpg")});
    ScriptedJob job(in("a.jpg"), in("out.mp4"));
    use_networks(job);
    EXPECT_THROW(job.run(), pipeline::UsageError);
}

TEST_F(CaptionedJob, AMissingPackageIsToldBeforeAnythingIsWritten) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 1);
    ScriptedJob job(film, in("out.mkv"));
    use_networks(job);
    job.job.package = in("none/at-all").string();
    EXPECT_THAT(job.error(), HasSubstr("none/at-all"));
    EXPECT_FALSE(std::filesystem::exists(in("out.mkv")));
    EXPECT_THAT(names_in(folder_.path()), Each(Not(HasSubstr(".part."))));
}

TEST_F(CaptionedJob, ANetworkThatFailsLeavesNothing) {
    const auto film = make_film(in("a.mkv"), 160, 120, "25", 1);
    ScriptedJob job(film, in("out.mkv"));
    use_networks(job);
    job.job.package = packages_.overflow.string();
    job.error();
    EXPECT_FALSE(std::filesystem::exists(in("out.mkv")));
    EXPECT_THAT(names_in(folder_.path()), Each(Not(HasSubstr(".part."))));
}

}  // namespace
}  // namespace seesay::testing
