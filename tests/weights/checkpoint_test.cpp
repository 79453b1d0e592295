// Checkpoints made by PyTorch come back value for value; anything else ends with an error, and
// nothing in a file runs. The files and expected.json were made by make_checkpoints.py.
#include "models/weights/checkpoint.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "models/weights/float16.hpp"
#include "models/weights/strict_json.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::weights {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path folder =
    std::filesystem::path(SEESAY_SOURCE_DIR) / "tests/weights/checkpoints";

template <typename T>
T element(const NamedTensor& tensor, std::size_t index) {
    T value{};
    std::memcpy(&value, tensor.bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

double value_of(const NamedTensor& tensor, std::size_t index) {
    switch (tensor.type) {
        case DataType::Bool:
        case DataType::U8:
            return element<std::uint8_t>(tensor, index);
        case DataType::I8:
            return element<std::int8_t>(tensor, index);
        case DataType::I16:
            return element<std::int16_t>(tensor, index);
        case DataType::I32:
            return element<std::int32_t>(tensor, index);
        case DataType::I64:
            return static_cast<double>(element<std::int64_t>(tensor, index));
        case DataType::F16:
            return from_float16(element<std::uint16_t>(tensor, index));
        case DataType::BF16:
            return std::bit_cast<float>(
                static_cast<std::uint32_t>(element<std::uint16_t>(tensor, index)) << 16U);
        case DataType::F32:
            return element<float>(tensor, index);
        case DataType::F64:
            return element<double>(tensor, index);
    }
    return NAN;
}

const nlohmann::json& expectations() {
    static const nlohmann::json content =
        parse_strict_json(text_of_file(folder / "expected.json"), "expected.json");
    return content;
}

std::vector<std::string> expected_files() {
    std::vector<std::string> names;
    for (const auto& [name, content] : expectations().items()) {
        names.push_back(name);
    }
    return names;
}

std::string error_of(const std::vector<std::byte>& bytes) {
    try {
        Checkpoint::parse(bytes, nullptr, "f");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string error_of(const std::string& text) {
    return error_of(bytes_of(text));
}

class CheckpointFile : public testing::TestWithParam<std::string> {};

TEST_P(CheckpointFile, HoldsWhatPyTorchSaved) {
    const auto checkpoint = Checkpoint::open(folder / GetParam());
    const auto& expected = expectations().at(GetParam());
    ASSERT_EQ(checkpoint.tensors().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const NamedTensor& tensor = checkpoint.tensors()[i];
        SCOPED_TRACE(tensor.name);
        EXPECT_EQ(tensor.name, expected[i].at("name"));
        EXPECT_EQ(name_of(tensor.type), expected[i].at("type"));
        EXPECT_EQ(tensor.shape, expected[i].at("shape").get<std::vector<std::int64_t>>());
        const auto values = expected[i].at("values").get<std::vector<double>>();
        ASSERT_EQ(tensor.bytes.size(), values.size() * size_of(tensor.type));
        for (std::size_t j = 0; j < values.size(); ++j) {
            EXPECT_EQ(value_of(tensor, j), values[j]) << "element " << j;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, CheckpointFile, testing::ValuesIn(expected_files()),
                         [](const auto& file) {
                             std::string name = file.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

TEST(Checkpoint, TensorsOutliveTheReader) {
    std::vector<NamedTensor> kept;
    kept = Checkpoint::open(folder / "views.zip.pth").tensors();
    EXPECT_EQ(value_of(kept.at(0), 23), 23.0);
    EXPECT_EQ(value_of(kept.at(1), 1), 6.0);
}

TEST(Checkpoint, ContiguousTensorsAreNotCopied) {
    const std::string text = text_of_file(folder / "views.zip.pth");
    const auto bytes = std::make_shared<std::vector<std::byte>>(bytes_of(text));
    const auto checkpoint = Checkpoint::parse(*bytes, bytes, "f");
    const std::byte* start = checkpoint.tensors().at(0).bytes.data();
    EXPECT_GE(start, bytes->data());
    EXPECT_LT(start, bytes->data() + bytes->size());
}

TEST(Checkpoint, ContainersAreTold) {
    EXPECT_EQ(Checkpoint::open(folder / "types.zip.pth").container(), Checkpoint::Container::Zip);
    EXPECT_EQ(Checkpoint::open(folder / "types.legacy.pth").container(),
              Checkpoint::Container::Legacy);
    EXPECT_EQ(Checkpoint::open(folder / "numpy.protocol2.pkl").container(),
              Checkpoint::Container::Pickle);
}

TEST(Checkpoint, FindsANestedStateDict) {
    const auto checkpoint = Checkpoint::open(folder / "nested.legacy.pth");
    EXPECT_THAT(checkpoint.top_level_keys(),
                ElementsAre("epoch", "state_dict", "args", "optimizer", "list"));
    ASSERT_THAT(checkpoint.prefixes_of("0.weight"), ElementsAre("state_dict."));
    std::vector<std::string> names;
    for (const NamedTensor& tensor : checkpoint.tensors_under("state_dict.")) {
        names.push_back(tensor.name);
    }
    EXPECT_THAT(names, ElementsAre("0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean",
                                   "1.running_var", "1.num_batches_tracked"));
    EXPECT_EQ(checkpoint.root().find("epoch")->integer, 3);
    const PickleValue* arguments = checkpoint.root().find("args");
    ASSERT_NE(arguments->state, nullptr);
    EXPECT_EQ(arguments->state->find("beam")->integer, 3);
}

TEST(Checkpoint, ReadsPlainValuesOfAPickle) {
    for (const char* name : {"numpy.protocol0.pkl", "numpy.protocol2.pkl", "numpy.protocol4.pkl"}) {
        SCOPED_TRACE(name);
        const auto checkpoint = Checkpoint::open(folder / name);
        EXPECT_EQ(checkpoint.root().find("raw")->text, std::string("\xFF\0", 2));
        EXPECT_EQ(checkpoint.root().find("words")->items.size(), 2U);
        EXPECT_EQ(checkpoint.root().find("negative")->integer, -(std::int64_t{1} << 40));
        EXPECT_EQ(checkpoint.root().find("big")->text, std::string(10, '\0') + '\x01');
        const PickleValue* frequency = checkpoint.root().find("frequency");
        ASSERT_EQ(frequency->entries.size(), 1U);
        EXPECT_EQ(frequency->entries[0].first->items.at(1)->text, "b");
        EXPECT_EQ(frequency->entries[0].second->real, 2.0);
    }
}

TEST(Checkpoint, CodeInAFileIsNotRun) {
    const std::filesystem::path mark = "/tmp/seesay_pickle_was_run";
    std::filesystem::remove(mark);
    for (const char* name : {"malicious.zip.pth", "malicious.legacy.pth"}) {
        const auto checkpoint = Checkpoint::open(folder / name);
        EXPECT_THAT(checkpoint.foreign_names(), ElementsAre("posix system"));
        EXPECT_EQ(checkpoint.root().find("evil")->kind, PickleValue::Kind::Object);
    }
    EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(Checkpoint, KnownClassesAreNotForeign) {
    EXPECT_THAT(Checkpoint::open(folder / "nested.zip.pth").foreign_names(), IsEmpty());
    EXPECT_THAT(Checkpoint::open(folder / "module.zip.pth").foreign_names(),
                Contains("__main__ Scale"));
}

TEST(Checkpoint, SaysWhatAFileIsInstead) {
    const auto message = [](const std::string& name) -> std::string {
        try {
            Checkpoint::open(folder / name);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(message("torchscript.pt"), HasSubstr("TorchScript"));
    EXPECT_THAT(message("ancient.tar.pth"), HasSubstr("before 0.1.10"));
    EXPECT_THAT(message("complex.zip.pth"), HasSubstr("ComplexFloatStorage"));
    EXPECT_THAT(message("missing.pth"), HasSubstr("cannot be read: No such file"));
    EXPECT_THAT(error_of(std::string()), HasSubstr("is empty"));
    EXPECT_THAT(error_of("<html>"), HasSubstr("web page"));
    EXPECT_THAT(error_of("hello"), HasSubstr("neither zip nor pickle"));
    EXPECT_THAT(error_of("\x1F\x8Bxxxxxxxxxxxx"), HasSubstr("gzip"));
    EXPECT_THAT(error_of("\x89HDF\r\n\x1A\nxxxxxxxx"), HasSubstr("HDF5"));
    EXPECT_THAT(error_of(std::string("\x02\0\0\0\0\0\0\0{}", 10)), HasSubstr("safetensors"));
}

TEST(Checkpoint, EveryCutFileIsAnError) {
    for (const char* name : {"views.zip.pth", "views.legacy.pth", "deflated.zip.pth",
                             "zip64.zip.pth", "numpy.protocol0.pkl", "numpy.protocol4.pkl"}) {
        const std::vector<std::byte> whole = bytes_of(text_of_file(folder / name));
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const std::vector<std::byte> cut(whole.begin(),
                                             whole.begin() + static_cast<std::ptrdiff_t>(length));
            ASSERT_NE(error_of(cut), "no error") << name << " cut to " << length;
        }
    }
}

TEST(Checkpoint, AppendedBytesAreAnError) {
    for (const char* name : {"views.zip.pth", "views.legacy.pth", "numpy.protocol2.pkl"}) {
        EXPECT_NE(error_of(text_of_file(folder / name) + std::string(64, '\0')), "no error")
            << name;
    }
}

TEST(Checkpoint, AFlippedBitIsAnErrorOrHarmless) {
    for (const char* name : {"views.zip.pth", "views.legacy.pth", "deflated.zip.pth",
                             "zip64.zip.pth", "numpy.protocol2.pkl", "module.legacy.pth"}) {
        const std::vector<std::byte> whole = bytes_of(text_of_file(folder / name));
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::vector<std::byte> damaged = whole;
            damaged[at] ^= std::byte{0x40};
            EXPECT_THAT(error_of(damaged), Not(HasSubstr("\n")));  // that it returns is the test
        }
    }
}

TEST(Checkpoint, AFlippedBitInStoredDataIsFound) {
    std::string text = text_of_file(folder / "views.zip.pth");
    const float value = 23.0F;  // the last number of `base`
    std::string pattern(sizeof(value), '\0');
    std::memcpy(pattern.data(), &value, sizeof(value));
    const std::size_t at = text.find(pattern);
    ASSERT_NE(at, std::string::npos);
    text[at] = static_cast<char>(text[at] ^ 1);
    EXPECT_THAT(error_of(text), HasSubstr("checksum is wrong"));
}

}  // namespace
}  // namespace seesay::weights
