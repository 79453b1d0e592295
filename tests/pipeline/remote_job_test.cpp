// Films and pictures on an HTTP server, captioned as if they lay here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/file_server.hpp"
#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RemoteJob : public ::testing::Test {
 protected:
    TemporaryFolder served_;
    TemporaryFolder folder_;
    FileServer server_{served_.path()};

    std::filesystem::path there(const std::string& name) const { return served_.path() / name; }
    std::filesystem::path in(const std::string& name) const { return folder_.path() / name; }

    pipeline::CaptionJobResult caption(ScriptedJob& job, const std::string& name) const {
        job.job.input = server_.address(name);
        return job.run();
    }
};

TEST_F(RemoteJob, AFilmWithItsIndexAtTheEndIsReadFromAServerWithoutRanges) {
    auto arguments = test_picture(160, 120, "25", 2);
    arguments.insert(arguments.end(), {"-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264", "-bf",
                                       "2", "-c:a", "aac", "-pix_fmt", "yuv420p", there("a.mp4")});
    run_ffmpeg(arguments);
    ScriptedJob job({}, in("out.mp4"));
    EXPECT_EQ(caption(job, "a.mp4").exit_code, 0);
    EXPECT_THAT(job.notices, IsEmpty());  // no recording: it can be read twice
    EXPECT_EQ(times(in("out.mp4")).size(), 50U);
    EXPECT_LT(difference(times(there("a.mp4")), times(in("out.mp4"))), 0.001);
    EXPECT_EQ(packet_hash(in("out.mp4"), 1), packet_hash(there("a.mp4"), 1));
}

TEST_F(RemoteJob, BroadcastsStartAtZero) {
    make_film(there("a.ts"), 160, 120, "25", 2, {"-c:v", "libx264", "-bf", "0"});
    ScriptedJob job({}, in("out.mkv"));
    EXPECT_EQ(caption(job, "a.ts").exit_code, 0);
    EXPECT_LT(times(in("out.mkv")).front(), 0.001);
}

TEST_F(RemoteJob, APictureGivesAFigure) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=200x100", "-frames:v", "1", there("a.png")});
    const auto packages = fixtures::make_tiny_packages(folder_.path() / "packages");
    ScriptedJob job({}, in("figure.png"));
    job.job.middle = nullptr;
    job.job.package = packages.captioner.string();
    EXPECT_EQ(caption(job, "a.png").exit_code, 0);
    EXPECT_EQ(job.captions.size(), 1U);
    EXPECT_GT(stream(in("figure.png"), "video")["width"], 300);
}

TEST_F(RemoteJob, APictureDoesNotBecomeAFilm) {
    run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=s=200x100", "-frames:v", "1", there("a.png")});
    ScriptedJob job({}, in("out.mp4"));
    EXPECT_THROW(caption(job, "a.png"), pipeline::UsageError);
}

TEST_F(RemoteJob, WhatIsNotThereIsToldByTheServer) {
    ScriptedJob job({}, in("out.mp4"));
    job.job.input = server_.address("none.mp4");
    EXPECT_THAT(job.error(), AllOf(HasSubstr("none.mp4"), HasSubstr("404")));
    EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(RemoteJob, AWebPageIsNoFilm) {
    write_file(there("a.mp4"), "<!DOCTYPE html><html><body>no</body></html>");
    ScriptedJob job({}, in("out.mp4"));
    job.job.input = server_.address("a.mp4");
    EXPECT_THAT(job.error(), HasSubstr("web page"));
}

}  // namespace
}  // namespace seesay::testing
