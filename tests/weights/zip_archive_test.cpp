// Zip archives written byte by byte, so that each field can lie.
#include "models/weights/zip_archive.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <functional>

#include "models/error.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::weights {
namespace {

using testing::HasSubstr;

std::string little(std::uint64_t value, std::size_t width) {
    std::string text;
    for (std::size_t i = 0; i < width; ++i) {
        text.push_back(static_cast<char>(value >> (8 * i)));
    }
    return text;
}

/// What the directory says of one member; the local header only has its place and name.
struct Entry {
    std::string name = "a";
    std::string content = "hello";
    std::uint32_t method = 0;
    std::uint32_t flags = 0;
    std::uint64_t size = 5;
    std::uint64_t compressed = 5;
    std::uint64_t offset = 0;
    std::uint32_t crc =
        static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>("hello"), 5));
    std::string extra;
};

std::string archive_of(const std::vector<Entry>& entries) {
    std::string text;
    std::string directory;
    for (const Entry& entry : entries) {
        text += "PK\x03\x04" + std::string(22, '\0') + little(entry.name.size(), 2) + little(0, 2) +
                entry.name + entry.content;
        directory += "PK\x01\x02" + std::string(4, '\0') + little(entry.flags, 2) +
                     little(entry.method, 2) + std::string(4, '\0') + little(entry.crc, 4) +
                     little(entry.compressed, 4) + little(entry.size, 4) +
                     little(entry.name.size(), 2) + little(entry.extra.size(), 2) +
                     std::string(10, '\0') + little(entry.offset, 4) + entry.name + entry.extra;
    }
    const std::size_t start = text.size();
    return text + directory + "PK\x05\x06" + std::string(4, '\0') + little(entries.size(), 2) +
           little(entries.size(), 2) + little(directory.size(), 4) + little(start, 4) +
           little(0, 2);
}

std::string error_of(const std::string& text, const std::string& member = "a") {
    const std::vector<std::byte> bytes = bytes_of(text);
    try {
        (void)ZipArchive(bytes, nullptr, "f").read(member);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string error_of(const std::function<void(Entry&)>& change) {
    Entry entry;
    change(entry);
    return error_of(archive_of({entry}));
}

TEST(ZipArchive, ReadsAStoredMember) {
    const std::vector<std::byte> bytes = bytes_of(archive_of({Entry{}}));
    const ZipArchive archive(bytes, nullptr, "f");
    ASSERT_TRUE(archive.contains("a"));
    EXPECT_EQ(archive.read("a").bytes.size(), 5U);
    EXPECT_EQ(archive.read("a").bytes.data(), bytes.data() + 31);
}

TEST(ZipArchive, Zip64FieldsReplaceTheSmallOnes) {
    EXPECT_EQ(error_of([](Entry& entry) {
                  entry.size = 0xFFFFFFFF;
                  entry.compressed = 0xFFFFFFFF;
                  entry.offset = 0xFFFFFFFF;
                  entry.extra =
                      little(1, 2) + little(24, 2) + little(5, 8) + little(5, 8) + little(0, 8);
              }),
              "no error");
    EXPECT_THAT(error_of([](Entry& entry) { entry.extra = little(1, 2) + little(99, 2); }),
                HasSubstr("extra field is damaged"));
}

TEST(ZipArchive, LiesInTheDirectoryAreFound) {
    EXPECT_THAT(error_of([](Entry& entry) { entry.size = 6; }), HasSubstr("contradict"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.compressed = 5000; }), HasSubstr("outside"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.offset = 5000; }), HasSubstr("outside"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.offset = 1; }), HasSubstr("has no header"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.crc = 1; }), HasSubstr("checksum"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.flags = 1; }), HasSubstr("encrypted"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.method = 99; }), HasSubstr("method 99"));
}

TEST(ZipArchive, ImpossibleUnpackedSizesAreRefusedBeforeMemoryIsTaken) {
    EXPECT_THAT(error_of([](Entry& entry) {
                    entry.method = 8;
                    entry.size = 1'000'000'000;
                }),
                HasSubstr("impossible size"));
    EXPECT_THAT(error_of([](Entry& entry) { entry.method = 8; }), HasSubstr("data is damaged"));
    Entry first;
    first.method = 8;
    first.size = 0x7FFFFFFF;
    Entry second = first;
    second.name = "b";
    EXPECT_THAT(error_of(archive_of({first, second})), HasSubstr("unpack to more than"));
}

TEST(ZipArchive, NamesAreUniqueAndMissingOnesNamed) {
    EXPECT_THAT(error_of(archive_of({Entry{}, Entry{}})), HasSubstr("\"a\" occurs twice"));
    EXPECT_THAT(error_of(archive_of({Entry{}}), "b"), HasSubstr("there is no member \"b\""));
}

TEST(ZipArchive, TheEndRecordHasToFit) {
    const std::string good = archive_of({Entry{}});
    EXPECT_THAT(error_of(good.substr(0, good.size() - 1)), HasSubstr("end record is missing"));
    EXPECT_THAT(error_of(good + "x"), HasSubstr("end record is missing"));
    std::string many = good;
    many[many.size() - 12] = many[many.size() - 14] = '\x09';
    EXPECT_THAT(error_of(many), HasSubstr("more members"));
    std::string shifted = good;
    shifted[shifted.size() - 6] = '\x01';
    EXPECT_THAT(error_of(shifted), HasSubstr("does not fit"));
}

}  // namespace
}  // namespace seesay::weights
