// Reading caption files and image lists: formats, tolerance, and errors that name file and line.
#include "models/metrics/caption_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "models/error.hpp"

namespace seesay::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CaptionFiles : public ::testing::Test {
 protected:
    CaptionFiles()
        : folder_(std::filesystem::temp_directory_path() /
                  ("seesay-captions-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~CaptionFiles() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& name, const std::string& content) const {
        const auto path = folder_ / name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

    static std::string error_of(const std::function<void()>& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }

    std::string captions_error(const std::string& name, const std::string& content) const {
        const auto path = write(name, content);
        return error_of([&] { read_captions(path); });
    }

    std::filesystem::path folder_;
};

TEST_F(CaptionFiles, ReadsTsvInOrderWithSeveralCaptionsAnImage) {
    const CaptionFile file =
        read_captions(write("c.tsv", "b.jpg\tA dog .\na.jpg\tA cat\nb.jpg\tTwo\tdogs\n"));
    ASSERT_EQ(file.entries().size(), 2U);
    EXPECT_EQ(file.entries()[0].image, "b.jpg");
    EXPECT_THAT(file.entries()[0].captions, ElementsAre("A dog .", "Two\tdogs"));
    ASSERT_NE(file.find("a.jpg"), nullptr);
    EXPECT_THAT(file.find("a.jpg")->captions, ElementsAre("A cat"));
    EXPECT_EQ(file.find("c.jpg"), nullptr);
}

TEST_F(CaptionFiles, TsvToleratesByteOrderMarkCrlfAndBlankLines) {
    const CaptionFile file = read_captions(write("c.tsv",
                                                 "\xEF\xBB\xBF"
                                                 "a.jpg\tA dog\r\n\r\nb.jpg\tA cat"));
    ASSERT_EQ(file.entries().size(), 2U);
    EXPECT_EQ(file.entries()[0].image, "a.jpg");
    EXPECT_THAT(file.entries()[0].captions, ElementsAre("A dog"));
    EXPECT_THAT(file.entries()[1].captions, ElementsAre("A cat"));
}

TEST_F(CaptionFiles, ReadsCocoAnnotationsWhicheverPartComesFirst) {
    const CaptionFile file = read_captions(write("coco.json", R"({
        "annotations": [{"id": 1, "image_id": 7, "caption": "A dog."},
                        {"id": 2, "image_id": 9, "caption": "A cat."},
                        {"id": 3, "image_id": 7, "caption": "Some dog."}],
        "info": {"images": [1, {"id": 3}]},
        "images": [{"id": 7, "file_name": "seven.jpg"}, {"file_name": "nine.jpg", "id": 9}]})"));
    ASSERT_EQ(file.entries().size(), 2U);
    EXPECT_THAT(file.find("seven.jpg")->captions, ElementsAre("A dog.", "Some dog."));
    EXPECT_EQ(file.find("9"), file.find("nine.jpg"));
    EXPECT_EQ(file.find("nine.jpg")->id, "9");
}

TEST_F(CaptionFiles, ReadsCocoResults) {
    const CaptionFile file = read_captions(
        write("results",
              R"( [{"image_id": 42, "caption": "A dog"}, {"caption": "é", "image_id": "x"}])"));
    ASSERT_EQ(file.entries().size(), 2U);
    EXPECT_THAT(file.find("42")->captions, ElementsAre("A dog"));
    EXPECT_THAT(file.find("x")->captions, ElementsAre("é"));
}

TEST_F(CaptionFiles, ReadsKarpathySplits) {
    const CaptionFile file = read_captions(write("dataset.json", R"({"dataset": "coco", "images": [
        {"filepath": "val2014", "sentids": [1, 2], "filename": "a.jpg", "imgid": 0, "split": "test",
         "sentences": [{"tokens": ["a", "man"], "raw": "A man.", "imgid": 0, "sentid": 1},
                       {"tokens": [], "raw": "Somebody.", "imgid": 0, "sentid": 2}], "cocoid": 391895},
        {"filename": "b.jpg", "imgid": 1, "split": "train", "sentences": [{"raw": "B."}]}]})"));
    ASSERT_EQ(file.entries().size(), 2U);
    const auto& first = file.entries()[0];
    EXPECT_EQ(first.image, "a.jpg");
    EXPECT_EQ(first.split, "test");
    EXPECT_EQ(first.folder, "val2014");
    EXPECT_THAT(first.captions, ElementsAre("A man.", "Somebody."));
    EXPECT_EQ(file.find("391895"), &first);
    EXPECT_EQ(file.entries()[1].split, "train");
}

TEST_F(CaptionFiles, SkipsWhatItDoesNotKnow) {
    const CaptionFile file = read_captions(write("r.json", R"([{"image_id": 1, "caption": "a",
        "extra": {"caption": 3, "image_id": [{"caption": "no"}]}, "score": 0.5, "ok": true, "z": null}])"));
    EXPECT_THAT(file.find("1")->captions, ElementsAre("a"));
}

TEST_F(CaptionFiles, TsvErrorsNameFileAndLine) {
    EXPECT_THAT(captions_error("c.tsv", "a.jpg\tfine\nno tab here\n"),
                HasSubstr("c.tsv:2: has no tab"));
    EXPECT_THAT(captions_error("c.tsv", "\tcaption\n"), HasSubstr("c.tsv:1: has no image name"));
    EXPECT_THAT(captions_error("c.tsv", "a.jpg\tcaf\xE9\n"), HasSubstr("c.tsv:1: is not UTF-8"));
    EXPECT_THAT(captions_error("c.tsv", "\n\n"), HasSubstr("holds no captions"));
}

TEST_F(CaptionFiles, JsonErrorsNameFileAndLine) {
    EXPECT_THAT(captions_error("c.json", "[\n{\"image_id\": 1,\n\"caption\" \"x\"}]"),
                HasSubstr("c.json:3: is not valid JSON"));
    EXPECT_THAT(captions_error("c.json", "[{\"image_id\": 1}]"), HasSubstr("has no \"caption\""));
    EXPECT_THAT(captions_error("c.json", "[{\"caption\": \"x\"}]"),
                HasSubstr("has no \"image_id\""));
    EXPECT_THAT(captions_error("c.json",
                               "{\"images\": [{\"id\": 1, \"file_name\": \"a\"}],\n"
                               "\"annotations\": [{\"image_id\": 2, \"caption\": \"x\"}]}"),
                HasSubstr("c.json:2: a caption is for image id 2"));
    EXPECT_THAT(
        captions_error("c.json", "{\"images\": [{\"filename\": \"a\", \"sentences\": [{}]}]}"),
        HasSubstr("no \"raw\""));
    EXPECT_THAT(captions_error("c.json", "{\"images\": [{\"id\": 1}]}"), HasSubstr("file_name"));
    EXPECT_THAT(captions_error("c.json", "{\"a\": 1}"), HasSubstr("JSON without captions"));
    EXPECT_THAT(captions_error("c.json", "[]"), HasSubstr("holds no captions"));
    EXPECT_THAT(captions_error("c.json", "a.jpg\tx\n"), HasSubstr("is not JSON"));
    EXPECT_THAT(captions_error("c.json", "[{\"image_id\": 1, \"caption\": \"\xFF\"}]"),
                HasSubstr("c.json:1: is not valid JSON"));
    EXPECT_THAT(captions_error("c.json", "[{\"image_id\": 1, \"caption\": \"x\"}"),
                HasSubstr("is not valid JSON"));
}

TEST_F(CaptionFiles, JsonRefusesAnImageGivenTwice) {
    EXPECT_THAT(captions_error("c.json",
                               "{\"images\": [{\"id\": 1, \"file_name\": \"a\"},\n"
                               "{\"id\": 2, \"file_name\": \"a\"}], \"annotations\": []}"),
                HasSubstr("c.json:2: image a appears a second time"));
    EXPECT_THAT(captions_error("c.json",
                               "{\"images\": [{\"id\": 1, \"file_name\": \"a\"},\n"
                               "{\"id\": 1, \"file_name\": \"b\"}], \"annotations\": []}"),
                HasSubstr("image id 1 appears a second time"));
}

TEST_F(CaptionFiles, MissingFileAndFolderAreErrors) {
    EXPECT_THAT(error_of([&] { read_captions(folder_ / "none.tsv"); }),
                HasSubstr("No such file or directory"));
    EXPECT_THAT(error_of([&] { read_captions(folder_); }), HasSubstr("it is a folder"));
    EXPECT_THAT(error_of([&] { read_image_list(folder_ / "none.txt"); }), HasSubstr("none.txt"));
}

TEST_F(CaptionFiles, DeeplyNestedJsonIsNoCrash) {
    EXPECT_THAT(captions_error("c.json", std::string(200000, '[')), HasSubstr("is not valid JSON"));
}

TEST_F(CaptionFiles, ListIgnoresCommentsAndBlanks) {
    EXPECT_THAT(
        read_image_list(write("l.txt", "\xEF\xBB\xBF# dev\r\na.jpg\r\n\r\n  b c.jpg \nd.jpg")),
        ElementsAre("a.jpg", "b c.jpg", "d.jpg"));
}

TEST_F(CaptionFiles, ListErrorsNameFileAndLine) {
    const auto twice = write("l.txt", "a.jpg\nb.jpg\na.jpg\n");
    EXPECT_THAT(error_of([&] { read_image_list(twice); }), HasSubstr("l.txt:3: lists a.jpg"));
    const auto empty = write("e.txt", "# nothing\n");
    EXPECT_THAT(error_of([&] { read_image_list(empty); }), HasSubstr("lists no image"));
}

}  // namespace
}  // namespace seesay::metrics
