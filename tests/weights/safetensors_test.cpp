// safetensors: what is written comes back, and nothing in a header is believed unchecked.
#include "models/weights/safetensors.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/error.hpp"
#include "tests/weights/temporary_folder.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::weights {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const std::vector<std::byte>> file_of(const std::string& header,
                                                      std::size_t data_bytes) {
    std::vector<std::byte> bytes(8 + header.size() + data_bytes);
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::byte>(header.size() >> (8 * i));
    }
    std::memcpy(bytes.data() + 8, header.data(), header.size());
    for (std::size_t i = 0; i < data_bytes; ++i) {
        bytes[8 + header.size() + i] = static_cast<std::byte>(i);
    }
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

std::string error_of(const std::string& header, std::size_t data_bytes) {
    try {
        Safetensors::parse(file_of(header, data_bytes), "f");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

NamedTensor tensor_of(std::string name, DataType type, std::vector<std::int64_t> shape,
                      std::vector<unsigned char> values) {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    for (const unsigned char value : values) {
        bytes->push_back(static_cast<std::byte>(value));
    }
    return {std::move(name), type, std::move(shape), *bytes, bytes};
}

TEST(Safetensors, ReadsBackWhatItWrote) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "w.safetensors";
    write_safetensors(file,
                      {tensor_of("b", DataType::F16, {3}, {1, 2, 3, 4, 5, 6}),
                       tensor_of("a", DataType::I32, {2, 1}, {1, 0, 0, 0, 2, 0, 0, 0}),
                       tensor_of("scalar", DataType::Bool, {}, {1}),
                       tensor_of("none", DataType::F64, {0, 7}, {})},
                      {{"format", "pt"}});
    const Safetensors read = Safetensors::open(file);
    ASSERT_EQ(read.tensors().size(), 4U);
    EXPECT_EQ(read.metadata().at("format"), "pt");
    const NamedTensor& a = read.at("a");
    EXPECT_EQ(a.type, DataType::I32);
    EXPECT_THAT(a.shape, ElementsAre(2, 1));
    EXPECT_EQ(a.count(), 2);
    EXPECT_EQ(std::to_integer<int>(a.bytes[4]), 2);
    EXPECT_EQ(read.at("scalar").count(), 1);
    EXPECT_EQ(read.at("none").count(), 0);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "w.part.safetensors"));
}

TEST(Safetensors, DataSectionIsAligned) {
    const TemporaryFolder folder;
    for (const char* name : {"x", "xy", "xyz", "abcdefgh"}) {
        const auto file = folder.path() / "w.safetensors";
        write_safetensors(file, {tensor_of(name, DataType::U8, {1}, {7})});
        EXPECT_EQ((std::filesystem::file_size(file) - 1) % 8, 0U) << name;
    }
}

TEST(Safetensors, TensorsOutliveTheReader) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "w.safetensors";
    write_safetensors(file, {tensor_of("x", DataType::U8, {2}, {7, 9})});
    const NamedTensor kept = Safetensors::open(file).at("x");
    EXPECT_EQ(std::to_integer<int>(kept.bytes[1]), 9);
}

TEST(Safetensors, MissingTensorIsNamed) {
    const auto read = Safetensors::parse(file_of("{}", 0), "f");
    EXPECT_FALSE(read.contains("x"));
    try {
        (void)read.at("x");
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "f: has no tensor \"x\"");
    }
}

TEST(Safetensors, RefusesBrokenContainers) {
    const auto error_of_bytes = [](const std::string& text) -> std::string {
        const auto bytes = std::make_shared<const std::vector<std::byte>>(bytes_of(text));
        try {
            Safetensors::parse(bytes, "f");
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(error_of_bytes(""), HasSubstr("is empty"));
    EXPECT_THAT(error_of_bytes("abc"), HasSubstr("not a safetensors file"));
    EXPECT_THAT(error_of_bytes(std::string(7, '\0') + '\x7F' + "{}"),
                HasSubstr("not a safetensors file"));
    EXPECT_THAT(error_of_bytes(std::string("\x09\0\0\0\0\0\0\0{}", 10)), HasSubstr("is cut"));
    EXPECT_THAT(error_of_bytes(std::string("\x02\0\0\0\0\0\0\0[]", 10)),
                HasSubstr("no JSON header"));
    EXPECT_THAT(error_of_bytes("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
                HasSubstr("Git LFS pointer"));
    EXPECT_THAT(error_of_bytes("<!DOCTYPE html><title>403</title>"), HasSubstr("web page"));
}

TEST(Safetensors, RefusesBadHeaders) {
    EXPECT_THAT(error_of("{", 0), HasSubstr("not valid JSON at line 1"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                         R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                         2),
                HasSubstr("\"a\" occurs twice"));
    EXPECT_THAT(error_of(R"({"a":7})", 0), HasSubstr("not an object"));
    EXPECT_THAT(error_of(R"({"a":{"shape":[1],"data_offsets":[0,1]}})", 1),
                HasSubstr("has no \"dtype\""));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}})", 1),
                HasSubstr("\"F8\" is not supported"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1),
                HasSubstr("not a size"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}})", 1),
                HasSubstr("not a size"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1),
                HasSubstr("not a range"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}})", 1),
                HasSubstr("not a range"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":0}})", 1),
                HasSubstr("unknown header key"));
    EXPECT_THAT(error_of(R"({"__metadata__":{"a":1}})", 0), HasSubstr("not a string"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[[[[1]]]],"data_offsets":[0,1]}})", 1),
                HasSubstr("nested deeper"));
}

TEST(Safetensors, RefusesShapesThatOverflow) {
    EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],)"
                         R"("data_offsets":[0,4]}})",
                         4),
                HasSubstr("too large"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
                HasSubstr("its shape needs 8"));
    EXPECT_THAT(error_of(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})", 4),
                HasSubstr("is cut"));
}

TEST(Safetensors, RefusesOverlapsAndHoles) {
    const std::string first = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)";
    EXPECT_THAT(error_of(first + R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", 3),
                HasSubstr("overlaps"));
    EXPECT_THAT(error_of(first + R"("b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2),
                HasSubstr("overlaps"));
    EXPECT_THAT(error_of(first + R"("b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})", 4),
                HasSubstr("hole"));
    EXPECT_THAT(error_of(first + R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})", 4),
                HasSubstr("after the last tensor"));
}

TEST(Safetensors, MessagesStayOneLine) {
    const std::string message =
        error_of("{\"a\\nb\":{\"dtype\":\"F8\\r\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1);
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_THAT(message, HasSubstr("\"a\\x0ab\""));
}

TEST(Safetensors, WriterRefusesWhatCannotBeRead) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "w.safetensors";
    const NamedTensor good = tensor_of("x", DataType::U8, {1}, {1});
    EXPECT_THROW(write_safetensors(file, {good, good}), Error);
    EXPECT_THROW(write_safetensors(file, {tensor_of("x", DataType::F32, {1}, {1})}), Error);
    EXPECT_THROW(write_safetensors(file, {tensor_of("__metadata__", DataType::U8, {1}, {1})}),
                 Error);
    EXPECT_THROW(write_safetensors(file, {tensor_of("\xFF", DataType::U8, {1}, {1})}), Error);
    EXPECT_THROW(write_safetensors(folder.path() / "no" / "w.safetensors", {good}), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace seesay::weights
