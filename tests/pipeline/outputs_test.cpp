// Places that are written to: temporary names, refusals, and what the outer boxes of films tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "pipeline/container_boxes.hpp"
#include "pipeline/output_paths.hpp"
#include "pipeline/text_outputs.hpp"
#include "pipeline/track_plan.hpp"
#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

using pipeline::check_output;
using pipeline::is_same_file;
using pipeline::missing_data;
using pipeline::part_path;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string refusal(const std::filesystem::path& output, const std::filesystem::path& input = {},
                    bool force = false) {
    try {
        check_output(output, input, force);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(OutputPaths, TemporaryNameKeepsTheExtension) {
    EXPECT_EQ(part_path("d/a.b.mkv"), "d/a.b.part.mkv");
}

TEST(OutputPaths, TemporaryNameOfAVeryLongNameFits) {
    const std::string name = part_path("d/" + std::string(250, 'x') + ".mp4").filename().string();
    EXPECT_EQ(name.size(), 255U);
    EXPECT_THAT(name, ::testing::EndsWith(".part.mp4"));
}

TEST(OutputPaths, TemporaryNameIsCutBetweenCharacters) {
    std::string stem;
    for (int i = 0; i < 124; ++i)
        stem += "é";
    const std::string name = part_path(stem + ".mp4").filename().string();
    EXPECT_EQ(name, stem.substr(0, 246) + ".part.mp4");
}

TEST(OutputPaths, SameFileByAnySpelling) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "a";
    write_file(file, "x");
    std::filesystem::create_hard_link(file, folder.path() / "hard");
    std::filesystem::create_symlink(file, folder.path() / "soft");
    std::filesystem::create_directory(folder.path() / "d");
    EXPECT_TRUE(is_same_file(file, folder.path() / "hard"));
    EXPECT_TRUE(is_same_file(file, folder.path() / "soft"));
    EXPECT_TRUE(is_same_file(file, folder.path() / "d/../a"));
    write_file(folder.path() / "b", "x");
    EXPECT_FALSE(is_same_file(file, folder.path() / "b"));
    EXPECT_FALSE(is_same_file(file, folder.path() / "none"));
}

TEST(OutputPaths, RefusalsNameThePath) {
    const TemporaryFolder folder;
    EXPECT_EQ(refusal(folder.path() / "new.mp4"), "");
    EXPECT_THAT(refusal(folder.path() / "no/new.mp4"), HasSubstr("no/new.mp4: the folder"));
    EXPECT_THAT(refusal(folder.path()), HasSubstr("is a folder"));
    EXPECT_THAT(refusal("/dev/full"), HasSubstr("/dev/full: is not a regular file"));
    EXPECT_THAT(refusal(folder.path() / (std::string(300, 'n') + ".mp4")), HasSubstr("too long"));
}

TEST(OutputPaths, WhatExistsIsReplacedOnlyByForce) {
    const TemporaryFolder folder;
    write_file(folder.path() / "old.mp4", "x");
    EXPECT_THAT(refusal(folder.path() / "old.mp4"), HasSubstr("--force"));
    EXPECT_EQ(refusal(folder.path() / "old.mp4", {}, true), "");
}

TEST(OutputPaths, AFolderWithoutPermissionIsRefused) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    const TemporaryFolder folder;
    std::filesystem::permissions(
        folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_THAT(refusal(folder.path() / "new.mp4"), HasSubstr("not writable"));
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(ContainerBoxes, WholeFilesLackNothing) {
    const TemporaryFolder folder;
    for (const char* name : {"a.mp4", "a.mkv", "a.avi", "a.ts"}) {
        EXPECT_EQ(missing_data(make_film(folder.path() / name, 64, 48, "10", 1)), "") << name;
    }
}

TEST(ContainerBoxes, CutFilesSayWhereTheyShouldEnd) {
    const TemporaryFolder folder;
    for (const char* name : {"a.mp4", "a.mkv", "a.avi"}) {
        const std::string bytes = read_file(make_film(folder.path() / name, 64, 48, "10", 1));
        write_file(folder.path() / name, bytes.substr(0, bytes.size() * 2 / 3));
        EXPECT_THAT(missing_data(folder.path() / name),
                    HasSubstr(std::to_string(bytes.size() * 2 / 3)))
            << name;
    }
}

TEST(ContainerBoxes, OtherFilesAreNotJudged) {
    const TemporaryFolder folder;
    write_file(folder.path() / "text", "a text that is no film at all");
    EXPECT_EQ(missing_data(folder.path() / "text"), "");
    EXPECT_EQ(missing_data(folder.path() / "none"), "");
}

TEST(ContainerBoxes, TracksCanBeSwitchedOff) {
    const TemporaryFolder folder;
    const auto film = make_film(folder.path() / "a.mp4", 64, 48, "10", 1);
    pipeline::set_enabled_tracks(film, {0});
    EXPECT_EQ(stream(film, "video")["disposition"]["default"], 0);
    pipeline::set_enabled_tracks(film, {1});
    EXPECT_EQ(stream(film, "video")["disposition"]["default"], 1);
    EXPECT_THROW(pipeline::set_enabled_tracks(film, {0, 0}), Error);
}

TEST(TextOutputs, FilesAppearWhenWhole) {
    const TemporaryFolder folder;
    {
        pipeline::TextOutputs texts({folder.path() / "a.jsonl", folder.path() / "a.vtt", ""});
        texts.write_event("{}");
        EXPECT_THAT(names_in(folder.path()), ElementsAre("a.part.jsonl", "a.part.vtt"));
        texts.finish({{0, 1'000'000'000, "a"}});
    }
    EXPECT_THAT(names_in(folder.path()), ElementsAre("a.jsonl", "a.vtt"));
    EXPECT_EQ(read_file(folder.path() / "a.jsonl"), "{}\n");
}

TEST(TextOutputs, NothingIsLeftWhenNotFinished) {
    const TemporaryFolder folder;
    {
        pipeline::TextOutputs texts({folder.path() / "a.jsonl", "", folder.path() / "a.srt"});
        texts.write_event("{}");
    }
    EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(TrackPlan, ContainersAreKnownByTheirNames) {
    EXPECT_EQ(pipeline::container_of("a.MKV"), pipeline::Container::Matroska);
    EXPECT_EQ(pipeline::container_of("a.m4v"), pipeline::Container::Mp4);
    EXPECT_THROW(pipeline::container_of("a.avi"), pipeline::UsageError);
    EXPECT_THROW(pipeline::container_of("a"), pipeline::UsageError);
}

}  // namespace
}  // namespace seesay::testing
