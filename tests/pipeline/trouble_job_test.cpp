// Input that is no film, cut or stopped; outputs that cannot be written; what is refused before any
// work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TroubleJob : public ::testing::Test {
 protected:
    TemporaryFolder folder_;
    std::filesystem::path in(const std::string& name) const { return folder_.path() / name; }

    /// The job on `name` fails with one line that names it and has `words`, and leaves nothing
    /// behind.
    void expect_refused(const std::string& name, const std::string& words) {
        const auto before = names_in(folder_.path());
        ScriptedJob job(in(name), in("out.mp4"));
        const std::string message = job.error();
        EXPECT_THAT(message, AllOf(HasSubstr(name), HasSubstr(words)));
        EXPECT_THAT(message, ::testing::Not(HasSubstr("\n")));
        EXPECT_EQ(names_in(folder_.path()), before);
    }
};

TEST_F(TroubleJob, AMissingFile) {
    expect_refused("none.mp4", "no such file");
}

TEST_F(TroubleJob, AnEmptyFile) {
    write_file(in("a.mp4"), "");
    expect_refused("a.mp4", "empty");
}

TEST_F(TroubleJob, AFolder) {
    std::filesystem::create_directory(in("a.mp4"));
    expect_refused("a.mp4", "folder");
}

TEST_F(TroubleJob, Text) {
    write_file(in("a.mp4"), "Dear reader,\nthis is not a film.\n");
    expect_refused("a.mp4", "text file");
}

TEST_F(TroubleJob, AWebPage) {
    write_file(in("a.mp4"), "<!DOCTYPE html><html><body>404</body></html>");
    expect_refused("a.mp4", "web page");
}

TEST_F(TroubleJob, AGitLfsPointer) {
    write_file(in("a.mp4"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    expect_refused("a.mp4", "git lfs pull");
}

TEST_F(TroubleJob, Noise) {
    std::string noise;
    unsigned state = 1;
    for (int i = 0; i < 60'000; ++i)
        noise += static_cast<char>((state = state * 1103515245U + 12345U) >> 24);
    write_file(in("a.mkv"), noise);
    expect_refused("a.mkv", "not a film");
}

TEST_F(TroubleJob, SoundAlone) {
    run_ffmpeg({"-f", "lavfi", "-i", "sine=d=1", in("a.mp4")});
    expect_refused("a.mp4", "no video track");
}

TEST_F(TroubleJob, SubtitlesAlone) {
    write_file(in("a.srt"), "1\n00:00:00,000 --> 00:00:01,000\nhello\n");
    run_ffmpeg({"-i", in("a.srt"), in("a.mkv")});
    expect_refused("a.mkv", "no video track");
}

TEST_F(TroubleJob, AFilmWithoutItsIndex) {
    const std::string bytes = read_file(make_film(in("a.mp4"), 160, 120, "25", 1));
    write_file(in("a.mp4"), bytes.substr(0, bytes.size() / 2));
    expect_refused("a.mp4", "index");
}

TEST_F(TroubleJob, CutFilmsAreCaptionedAsFarAsTheyGo) {
    for (const char* name : {"a.mp4", "a.mkv", "fragments.mp4"}) {
        std::vector<std::string> more{"-g", "25", "-movflags", "+faststart"};
        if (std::string(name) == "fragments.mp4")
            more = {"-g", "25", "-movflags", "frag_keyframe+empty_moov"};
        const std::string bytes = read_file(make_film(in(name), 160, 120, "25", 3, more));
        write_file(in(name), bytes.substr(0, bytes.size() * 3 / 5));
        const std::string output = std::string("out.") + name;
        ScriptedJob job(in(name), in(output));
        const auto result = job.run();
        EXPECT_EQ(result.exit_code, 3) << name;
        ASSERT_THAT(result.incomplete, SizeIs(1)) << name;
        EXPECT_THAT(result.incomplete[0],
                    AllOf(HasSubstr(name), HasSubstr("cut"), HasSubstr("frames")));
        const int frames = frame_count(in(output));
        EXPECT_GT(frames, 10) << name;
        EXPECT_EQ(frames, static_cast<int>(result.progress.frames)) << name;
    }
}

TEST_F(TroubleJob, DamagedPicturesAreLeftOutAndCounted) {
    std::string bytes = read_file(make_film(in("a.mjpeg"), 160, 120, "25", 1, {"-f", "mjpeg"}));
    const std::size_t tenth = [&] {
        std::size_t place = 0;
        for (int i = 0; i < 10; ++i)
            place = bytes.find("\xFF\xD8\xFF", place + 1);
        return place;
    }();
    const std::size_t eleventh = bytes.find("\xFF\xD8\xFF", tenth + 1);
    bytes.erase((tenth + eleventh) / 2, eleventh - (tenth + eleventh) / 2);
    write_file(in("a.mjpeg"), bytes);
    ScriptedJob job(in("a.mjpeg"), in("out.mp4"));
    const auto result = job.run();
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.incomplete, ElementsAre(HasSubstr("1 pictures were left out")));
    EXPECT_EQ(frame_count(in("out.mp4")), 24);
    EXPECT_NEAR(times(in("out.mp4")).back(), 0.96, 0.001);  // the gap stays a gap
}

TEST_F(TroubleJob, TheInputIsNeverTheOutput) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 0.5);
    const std::string bytes = read_file(film);
    std::filesystem::create_hard_link(film, in("hard.mp4"));
    std::filesystem::create_symlink("a.mp4", in("soft.mp4"));
    std::filesystem::create_directory(in("d"));
    for (const auto& output : {film, in("hard.mp4"), in("soft.mp4"), in("d/../a.mp4")}) {
        ScriptedJob job(film, output);
        job.job.force = true;
        EXPECT_THAT(job.error(), HasSubstr("is the input itself"));
    }
    ScriptedJob texts(film);
    texts.job.jsonl = film.string();
    texts.job.force = true;
    EXPECT_THAT(texts.error(), HasSubstr("is the input itself"));
    EXPECT_EQ(read_file(film), bytes);
}

TEST_F(TroubleJob, AFullDiskIsAnErrorThatNamesTheOutput) {
    const auto film = make_film(in("a.mp4"), 320, 240, "25", 4);
    for (const char* name : {"out.mp4", "out.mkv", "text.mp4"}) {
        ScriptedJob job(film, in(name));
        job.job.crf = 1;
        rlimit before{};
        ::getrlimit(RLIMIT_FSIZE, &before);
        const rlimit small{60'000, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        const std::string message = job.error();
        ::setrlimit(RLIMIT_FSIZE, &before);
        EXPECT_THAT(message, HasSubstr(name));
        EXPECT_THAT(names_in(folder_.path()), ElementsAre("a.mp4"));
    }
}

TEST_F(TroubleJob, AStoppedFilmIsClosedAndNamed) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 20, {"-preset", "ultrafast"});
    for (const char* name : {"out.mp4", "out.mkv"}) {
        ScriptedJob job(film, in(name));
        job.job.srt = in(std::string(name) + ".srt").string();
        job.job.middle = [&job] {
            GstElement* captions = scripted_captions({{0.0, "a dog runs"}});
            GstPad* pad = gst_element_get_static_pad(captions, "src");
            gst_pad_add_probe(
                pad, GST_PAD_PROBE_TYPE_BUFFER,
                [](GstPad*, GstPadProbeInfo* info, gpointer stop) {
                    if (GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)) >= 2 * GST_SECOND)
                        *static_cast<std::atomic<bool>*>(stop) = true;
                    return GST_PAD_PROBE_OK;
                },
                &job.stop, nullptr);
            gst_object_unref(pad);
            return captions;
        };
        const auto result = job.run();
        EXPECT_EQ(result.exit_code, 3);
        EXPECT_THAT(result.incomplete, ElementsAre(HasSubstr("stopped at")));
        EXPECT_EQ(frame_count(in(name)), static_cast<int>(result.progress.frames));
        EXPECT_GE(result.progress.frames, 50U);
        EXPECT_LT(result.progress.frames, 400U);
        EXPECT_THAT(read_file(in(std::string(name) + ".srt")), HasSubstr("a dog runs"));
    }
}

TEST_F(TroubleJob, StoppedBeforeTheFirstFrameLeavesNothing) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 1);
    ScriptedJob job(film, in("out.mp4"));
    job.stop = true;
    job.error();
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("a.mp4"));
}

TEST_F(TroubleJob, AnElementThatFailsLeavesNothing) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 1);
    ScriptedJob job(film, in("out.mp4"));
    job.job.jsonl = in("out.jsonl").string();
    job.job.middle = [] {
        GstElement* identity = gst_element_factory_make("identity", nullptr);
        g_object_set(identity, "error-after", 10, nullptr);
        return identity;
    };
    EXPECT_THAT(job.error(), HasSubstr("a.mp4"));
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("a.mp4"));
}

TEST_F(TroubleJob, APipeBecomesAFragmentedRecording) {
    std::vector<std::string> arguments = test_picture(160, 120, "25", 2);
    arguments.insert(arguments.end(),
                     {"-f", "lavfi", "-i", "sine=d=2", "-c:a", "aac", in("a.mkv")});
    run_ffmpeg(arguments);
    for (const char* name : {"out.mp4", "out.mkv"}) {
        const auto fifo = in("fifo");
        std::filesystem::remove(fifo);
        ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
        std::jthread feeder([&] { write_file(fifo, read_file(in("a.mkv"))); });
        ScriptedJob job(fifo, in(name));
        const auto result = job.run();
        EXPECT_EQ(result.exit_code, 0);
        EXPECT_EQ(std::count_if(job.notices.begin(), job.notices.end(),
                                [](const auto& n) {
                                    return n.find("fragmented recording") != std::string::npos;
                                }),
                  1);
        EXPECT_EQ(frame_count(in(name)), 50) << name;
        EXPECT_EQ(packet_hash(in(name), 1), packet_hash(in("a.mkv"), 1)) << name;
        if (std::string(name) == "out.mp4") {
            EXPECT_THAT(read_file(in(name)), HasSubstr("moof"));
        }
    }
}

TEST_F(TroubleJob, WrongUsageIsToldBeforeAnythingIsOpened) {
    const auto film = make_film(in("a.mp4"), 160, 120, "25", 0.5);
    const auto expect_usage = [&](const std::string& words, auto change) {
        ScriptedJob job(film, in("out.mkv"));
        change(job.job);
        try {
            job.run();
            ADD_FAILURE() << words;
        } catch (const pipeline::UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr(words));
        }
    };
    using Job = pipeline::CaptionJob;
    expect_usage("interval", [](Job& job) { job.interval = -1; });
    expect_usage("beam", [](Job& job) { job.beam = 0; });
    expect_usage("mode", [](Job& job) { job.mode = "fast"; });
    expect_usage("attention", [](Job& job) { job.attention = "all"; });
    expect_usage("burn none", [](Job& job) {
        job.burn = false;
        job.attention = "words";
    });
    expect_usage("stream", [](Job& job) { job.stream = "a b"; });
    expect_usage("x265, openh264", [](Job& job) { job.encoder = "x266"; });
    expect_usage("0 to 50", [](Job& job) { job.crf = 99; });
    expect_usage("ultrafast", [](Job& job) { job.preset = "warp"; });
    expect_usage(".mp4, .mkv or .webm", [&](Job& job) { job.output = in("out.avi").string(); });
    expect_usage("use .mp4", [&](Job& job) { job.output = in("out.png").string(); });
    expect_usage("vp9", [&](Job& job) {
        job.output = in("out.webm").string();
        job.encoder = "x264";
    });
    expect_usage("two outputs", [&](Job& job) { job.vtt = job.srt = in("x").string(); });
    expect_usage("standard output", [](Job& job) { job.vtt = job.jsonl = "-"; });
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("a.mp4"));
}

}  // namespace
}  // namespace seesay::testing
