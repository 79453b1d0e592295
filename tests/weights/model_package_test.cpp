// Model packages: written whole, opened only when every byte is as model.json says, found by name.
#include "models/weights/model_package.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

#include "models/error.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/sha256.hpp"
#include "tests/weights/temporary_folder.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

json encoder_manifest(const std::string& name) {
    return {{"kind", "encoder"},
            {"name", name},
            {"architecture", "efficientnet-lite2"},
            {"sizes", json::object()},
            {"preprocessing", {{"width", 224}}},
            {"padding", "same"},
            {"features", {{"kind", "grid"}, {"rows", 7}, {"columns", 7}, {"dimension", 1280}}},
            {"probes", {{"seed", 1}, {"count", 4}}},
            {"provenance", json::object()},
            {"licence", "MIT"}};
}

json captioner_manifest(const std::string& name) {
    return {{"kind", "captioner"},
            {"name", name},
            {"architecture", "show-attend-tell"},
            {"language", "en"},
            {"sizes", json::object()},
            {"encoder", {{"name", "e"}, {"sha256", std::string(64, 'a')}}},
            {"decoding", {{"beam", 3}, {"length_exponent", 0.7}}},
            {"provenance", json::object()},
            {"licence", "MIT"}};
}

std::vector<NamedTensor> some_tensors(float value = 1.F) {
    auto bytes = std::make_shared<std::vector<std::byte>>(sizeof(float));
    std::memcpy(bytes->data(), &value, sizeof(value));
    return {{"w", DataType::F32, {1}, *bytes, bytes}};
}

void write_text(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

template <typename Action>
std::string error_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string open_error(const fs::path& folder) {
    return error_of([&] { ModelPackage::open(folder); });
}

class Package : public testing::Test {
 protected:
    Package() {
        write_package(encoder(), encoder_manifest("e"), some_tensors(), {{"README.md", "# e\n"}},
                      false);
    }

    [[nodiscard]] fs::path encoder() const { return folder_.path() / "e"; }

    /// Changes model.json as given; with a right hash unless told otherwise.
    void edit(const std::function<void(json&)>& change, bool seal = true) const {
        json manifest = json::parse(text_of_file(encoder() / "model.json"));
        change(manifest);
        if (seal) {
            manifest["sha256"] = manifest_sha256(manifest);
        }
        write_text(encoder() / "model.json", manifest.dump());
    }

    [[nodiscard]] std::string error_after(const std::function<void(json&)>& change,
                                          bool seal = true) const {
        edit(change, seal);
        return open_error(encoder());
    }

    TemporaryFolder folder_;
};

TEST_F(Package, OpensWhatWasWritten) {
    const auto package = ModelPackage::open(encoder());
    EXPECT_EQ(package.kind(), PackageKind::Encoder);
    EXPECT_EQ(package.name(), "e");
    EXPECT_EQ(package.architecture(), "efficientnet-lite2");
    EXPECT_EQ(package.manifest().at("padding"), "same");
    EXPECT_TRUE(package.tensors().contains("w"));
    EXPECT_EQ(package.read_text("README.md"), "# e\n");
    EXPECT_EQ(package.folder(), encoder());
}

TEST_F(Package, IdentityIsTheHashOfTheSortedManifestWithoutIt) {
    const auto package = ModelPackage::open(encoder());
    json manifest = package.manifest();
    manifest.erase("sha256");
    EXPECT_EQ(package.sha256(), sha256_of(std::string_view(manifest.dump())));
    EXPECT_EQ(package.sha256(), package.manifest().at("sha256"));
}

TEST_F(Package, SameContentGivesTheSameBytes) {
    write_package(folder_.path() / "again", encoder_manifest("e"), some_tensors(),
                  {{"README.md", "# e\n"}}, false);
    for (const char* name : {"model.json", "weights.safetensors", "README.md"}) {
        EXPECT_EQ(text_of_file(encoder() / name), text_of_file(folder_.path() / "again" / name));
    }
}

TEST_F(Package, CaptionerNeedsAVocabulary) {
    const fs::path target = folder_.path() / "c";
    EXPECT_THAT(error_of([&] {
                    write_package(target, captioner_manifest("c"), some_tensors(), {}, false);
                }),
                HasSubstr("does not name vocabulary.json"));
    EXPECT_FALSE(fs::exists(target));
    write_package(target, captioner_manifest("c"), some_tensors(), {{"vocabulary.json", "{}"}},
                  false);
    const auto package = ModelPackage::open(target);
    EXPECT_EQ(package.kind(), PackageKind::Captioner);
    EXPECT_EQ(package.read_text("vocabulary.json"), "{}");
}

TEST_F(Package, IsReplacedOnlyWhenAsked) {
    const auto write = [&](bool replace) {
        write_package(encoder(), encoder_manifest("e"), some_tensors(2.F), {}, replace);
    };
    EXPECT_THAT(error_of([&] { write(false); }), HasSubstr("exists already"));
    EXPECT_TRUE(fs::exists(encoder() / "README.md"));
    write(true);
    EXPECT_FALSE(fs::exists(encoder() / "README.md"));
    EXPECT_NO_THROW(ModelPackage::open(encoder()));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(Package, OtherFoldersAreNeverReplaced) {
    fs::create_directory(folder_.path() / "photos");
    write_text(folder_.path() / "photos" / "a.jpg", "x");
    write_text(folder_.path() / "file", "x");
    for (const char* name : {"photos", "file"}) {
        EXPECT_THAT(error_of([&] {
                        write_package(folder_.path() / name, encoder_manifest("e"), some_tensors(),
                                      {}, true);
                    }),
                    HasSubstr("choose another name"));
    }
    EXPECT_TRUE(fs::exists(folder_.path() / "photos" / "a.jpg"));
}

TEST_F(Package, AFailureLeavesNothing) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(error_of([&] {
                    write_package(folder_.path() / "n", encoder_manifest("n"), some_tensors(nan),
                                  {}, false);
                }),
                HasSubstr("NaN"));
    EXPECT_THAT(error_of([&] {
                    write_package(folder_.path() / "no" / "n", encoder_manifest("n"),
                                  some_tensors(), {}, false);
                }),
                HasSubstr("there is no folder"));
    EXPECT_THAT(error_of([&] {
                    write_package(folder_.path() / "n", encoder_manifest("n"), some_tensors(),
                                  {{"../evil", "x"}}, false);
                }),
                HasSubstr("cannot hold a file"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(Package, TrailingSlashesAreFine) {
    write_package(folder_.path() / "x" / "", encoder_manifest("x"), some_tensors(), {}, false);
    EXPECT_NO_THROW(ModelPackage::open(folder_.path() / "x" / ""));
}

TEST_F(Package, MissingFileIsNamed) {
    fs::remove(encoder() / "weights.safetensors");
    EXPECT_THAT(open_error(encoder()), HasSubstr("weights.safetensors: is missing"));
}

TEST_F(Package, TruncatedFileIsNamed) {
    fs::resize_file(encoder() / "weights.safetensors", 10);
    EXPECT_THAT(open_error(encoder()),
                AllOf(HasSubstr("weights.safetensors: has 10 bytes"), HasSubstr("truncated")));
}

TEST_F(Package, AlteredFileIsNamed) {
    write_text(encoder() / "README.md", "# f\n");
    EXPECT_THAT(open_error(encoder()), HasSubstr("README.md: was altered"));
}

TEST_F(Package, AlteredManifestIsRefused) {
    EXPECT_THAT(error_after([](json& manifest) { manifest["licence"] = "none"; }, false),
                HasSubstr("key \"sha256\" does not match"));
}

TEST_F(Package, LinksAreRefused) {
    fs::rename(encoder() / "README.md", folder_.path() / "README.md");
    fs::create_symlink(folder_.path() / "README.md", encoder() / "README.md");
    EXPECT_THAT(open_error(encoder()), HasSubstr("is not a regular file"));
}

TEST_F(Package, PathsInsteadOfNamesAreRefused) {
    for (const char* name :
         {"../README.md", "a/b", "/etc/passwd", "..", ".hidden", "model.json", "", "a b"}) {
        EXPECT_THAT(error_after([&](json& manifest) {
                        manifest["files"][name] = {{"bytes", 4}, {"sha256", std::string(64, 'a')}};
                    }),
                    HasSubstr("is not a plain file name"))
            << name;
        edit([&](json& manifest) { manifest["files"].erase(name); });
    }
}

TEST_F(Package, HugeFilesAreRefused) {
    EXPECT_THAT(error_after([](json& manifest) {
                    manifest["files"]["README.md"]["bytes"] = std::int64_t{1} << 40;
                }),
                HasSubstr("\"files.README.md.bytes\" must be an integer from 0 to"));
}

TEST_F(Package, OtherFormatsAndVersionsAreRefused) {
    EXPECT_THAT(error_after([](json& manifest) { manifest["format_version"] = 2; }),
                HasSubstr("this program reads version 1; update seesay"));
    EXPECT_THAT(error_after([](json& manifest) { manifest["format"] = "onnx"; }),
                HasSubstr("no seesay model package"));
    write_text(encoder() / "model.json", "{}");
    EXPECT_THAT(open_error(encoder()), HasSubstr("key \"format\""));
}

TEST_F(Package, WrongTypesAreNamedByKey) {
    struct Case {
        const char* key;
        json value;
        const char* message;
    };
    const std::vector<Case> cases{
        {"kind", "detector", "key \"kind\" must be one of encoder, captioner"},
        {"name", 7, "key \"name\" must be a string, is 7"},
        {"name", "a/b", "key \"name\" is \"a/b\""},
        {"architecture", nullptr, "key \"architecture\" must be a string, is null"},
        {"sizes", "x", "key \"sizes\" must be an object, is \"x\""},
        {"preprocessing", json::array(), "key \"preprocessing\" must be an object, is a list"},
        {"padding", json::object(), "key \"padding\" must be a string, is an object"},
        {"probes", {{"seed", 1}, {"count", 0}}, "key \"probes.count\" must be an integer from 1"},
        {"features", {{"kind", "grid"}, {"rows", 7.5}}, "key \"features.rows\" must be an integer"},
        {"licence", true, "key \"licence\" must be a string, is true"},
        {"files", json::object(), "does not name weights.safetensors"},
        {"sha256", "x", "key \"sha256\" does not match"},
    };
    const std::string original = text_of_file(encoder() / "model.json");
    for (const Case& item : cases) {
        EXPECT_THAT(error_after([&](json& manifest) { manifest[item.key] = item.value; },
                                std::string(item.key) != "sha256"),
                    HasSubstr(item.message));
        write_text(encoder() / "model.json", original);
    }
    EXPECT_THAT(error_after([](json& manifest) { manifest.erase("licence"); }),
                HasSubstr("key \"licence\" is missing (a string)"));
}

TEST_F(Package, BrokenJsonIsAnErrorWithAPlace) {
    write_text(encoder() / "model.json", "{\n \"format\": }");
    EXPECT_THAT(open_error(encoder()),
                HasSubstr("model.json: is not valid JSON at line 2, column 12"));
    write_text(encoder() / "model.json", R"({"format":"seesay-package","format":"x"})");
    EXPECT_THAT(open_error(encoder()), HasSubstr("\"format\" occurs twice"));
    write_text(encoder() / "model.json", std::string(100'000, '['));
    EXPECT_THAT(open_error(encoder()), HasSubstr("nested deeper"));
    write_text(encoder() / "model.json", R"({"a":1e999})");
    EXPECT_THAT(open_error(encoder()), HasSubstr("out of range"));
    write_text(encoder() / "model.json", std::string(5'000'000, ' '));
    EXPECT_THAT(open_error(encoder()), HasSubstr("too large"));
    write_text(encoder() / "model.json", "");
    EXPECT_THAT(open_error(encoder()), HasSubstr("not valid JSON"));
}

TEST_F(Package, ThingsThatAreNoPackageAreNamed) {
    EXPECT_THAT(open_error(folder_.path() / "none"), HasSubstr("no such model package"));
    EXPECT_THAT(open_error(encoder() / "README.md"), HasSubstr("is not a folder"));
    EXPECT_THAT(open_error(folder_.path()), HasSubstr("model.json is missing"));
    fs::remove(encoder() / "model.json");
    fs::create_directory(encoder() / "model.json");
    EXPECT_THAT(open_error(encoder()), HasSubstr("not a regular file"));
}

TEST_F(Package, TextFilesAreCheckedAgainWhenRead) {
    const auto package = ModelPackage::open(encoder());
    EXPECT_THAT(error_of([&] { (void)package.read_text("vocabulary.json"); }),
                HasSubstr("has no file \"vocabulary.json\""));
    write_text(encoder() / "README.md", "# x\n");
    EXPECT_THAT(error_of([&] { (void)package.read_text("README.md"); }), HasSubstr("altered"));
}

/// Sets the search path for one test.
class PackagePath : public Package {
 protected:
    PackagePath() {
        ::setenv("SEESAY_PACKAGE_PATH", ("/nonexistent::" + folder_.path().string()).c_str(), 1);
    }
    ~PackagePath() override { ::unsetenv("SEESAY_PACKAGE_PATH"); }
};

TEST_F(PackagePath, NamesAreLookedUp) {
    EXPECT_EQ(find_package("e"), encoder());
}

TEST_F(PackagePath, EnvironmentComesFirstAndTheProgramsFolderNext) {
    const std::vector<fs::path> path = package_path();
    ASSERT_GE(path.size(), 3U);
    EXPECT_EQ(path[0], "/nonexistent");
    EXPECT_EQ(path[1], folder_.path());
    EXPECT_EQ(path[2], fs::path(SEESAY_BUILD_DIR) / "share/seesay/packages");
}

TEST_F(PackagePath, APackageWithoutItsManifestIsDamagedAndNotPassedOver) {
    const auto other = folder_.path() / "other";
    fs::create_directories(other);
    fs::copy(encoder(), other / "e", fs::copy_options::recursive);
    fs::remove(encoder() / "model.json");
    ::setenv("SEESAY_PACKAGE_PATH", (folder_.path().string() + ":" + other.string()).c_str(), 1);
    EXPECT_THAT(error_of([] { find_package("e"); }),
                AllOf(HasSubstr((encoder() / "model.json").string()), HasSubstr("is missing")));
    const auto listed = list_packages();
    EXPECT_THAT(listed, ::testing::Contains(encoder()));
}

TEST_F(PackagePath, PathsAreTakenAsTheyAre) {
    EXPECT_EQ(find_package(encoder().string()), encoder());
    EXPECT_THAT(error_of([] { find_package("./none"); }), HasSubstr("no such folder"));
    EXPECT_THAT(error_of([&] { find_package(folder_.path().string()); }),
                HasSubstr("model.json is missing"));
    EXPECT_THAT(error_of([&] { find_package((encoder() / "model.json").string()); }),
                HasSubstr("is not a folder"));
}

TEST_F(PackagePath, UnknownNamesGetASuggestionAndThePlaces) {
    write_package(folder_.path() / "encoder-lite9", encoder_manifest("encoder-lite9"),
                  some_tensors(), {}, false);
    EXPECT_THAT(error_of([] { find_package("encoder-lit9"); }),
                AllOf(HasSubstr("did you mean \"encoder-lite9\"?"), HasSubstr("/nonexistent, "),
                      HasSubstr(folder_.path().string())));
    EXPECT_THAT(error_of([] { find_package("something-else"); }), Not(HasSubstr("did you mean")));
}

TEST_F(PackagePath, BadNamesAreErrors) {
    EXPECT_THAT(error_of([] { find_package(""); }), HasSubstr("is empty"));
    EXPECT_THAT(error_of([] { find_package(".."); }), HasSubstr("not a package name"));
    EXPECT_THAT(error_of([] { find_package("a\nb"); }), HasSubstr("\"a\\x0ab\""));
}

TEST_F(PackagePath, ListsPackagesInOrder) {
    write_package(folder_.path() / "a", encoder_manifest("a"), some_tensors(), {}, false);
    fs::create_directory(folder_.path() / "empty");
    const std::vector<fs::path> packages = list_packages();
    ASSERT_GE(packages.size(), 2U);
    EXPECT_EQ(packages[0], folder_.path() / "a");
    EXPECT_EQ(packages[1], encoder());
    EXPECT_THAT(packages, Not(testing::Contains(folder_.path() / "empty")));
}

}  // namespace
}  // namespace seesay::weights
