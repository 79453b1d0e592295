// Opens a model package: nothing of it is used before sizes and checksums are right.

#include "models/error.hpp"
#include "models/weights/finite.hpp"
#include "models/weights/mapped_file.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/sha256.hpp"

namespace seesay::weights {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_manifest = std::size_t{4} << 20U;

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

PackageManifest read_manifest(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
        throw Error(folder.string() + (fs::exists(folder, ignored)
                                           ? ": is not a folder; a model package is a folder"
                                           : ": no such model package"));
    }
    const fs::path file = folder / manifest_name;
    if (!fs::exists(file, ignored)) {
        throw Error(folder.string() + ": no model package there (model.json is missing)");
    }
    const auto mapping = MappedFile::open(file);
    if (mapping->bytes().size() > largest_manifest) {
        throw Error(file.string() + ": is too large (" + std::to_string(mapping->bytes().size()) +
                    " bytes)");
    }
    return parse_manifest(text_of(mapping->bytes()), file.string());
}

void check_size(const fs::path& file, const PackageFile& expected) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(file, error);
    if (status.type() == fs::file_type::not_found) {
        throw Error(file.string() + ": is missing from the package; fetch the package again");
    }
    if (status.type() != fs::file_type::regular) {
        throw Error(file.string() + ": is not a regular file");
    }
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (error) {
        throw Error(file.string() + ": cannot be read: " + error.message());
    }
    if (bytes != expected.bytes) {
        throw Error(file.string() + ": has " + std::to_string(bytes) + " bytes, model.json says " +
                    std::to_string(expected.bytes) +
                    (bytes < expected.bytes ? " (truncated)" : "") + "; fetch the package again");
    }
}

void check_content(const fs::path& file, const PackageFile& expected) {
    if (sha256_of_file(file) != expected.sha256) {
        throw Error(file.string() +
                    ": was altered (its SHA-256 is not the one in model.json); fetch the package "
                    "again");
    }
}

void check_finite(const Safetensors& tensors) {
    for (const auto& [name, tensor] : tensors.tensors()) {
        if (const auto index = first_non_finite(tensor)) {
            throw Error(tensors.origin() + ": tensor " + printable(name) + ": element " +
                        std::to_string(*index) + " is NaN or infinite");
        }
    }
}

}  // namespace

ModelPackage ModelPackage::open(const fs::path& folder) {
    PackageManifest manifest = read_manifest(folder);
    for (const auto& [name, file] : manifest.files) {
        check_size(folder / name, file);
    }
    for (const auto& [name, file] : manifest.files) {
        check_content(folder / name, file);
    }
    ModelPackage package;
    package.tensors_ = Safetensors::open(folder / weights_name);
    check_finite(package.tensors_);
    package.folder_ = folder;
    package.kind_ = manifest.kind;
    package.name_ = std::move(manifest.name);
    package.sha256_ = std::move(manifest.sha256);
    package.architecture_ = std::move(manifest.architecture);
    package.manifest_ = std::move(manifest.document);
    return package;
}

std::string ModelPackage::read_text(const std::string& file) const {
    const auto& files = manifest_.at("files");
    const auto entry = files.find(file);
    if (entry == files.end()) {
        throw Error(folder_.string() + ": the package has no file " + printable(file));
    }
    const auto mapping = MappedFile::open(folder_ / file);
    std::string text(text_of(mapping->bytes()));
    if (sha256_of(std::string_view(text)) != entry->at("sha256").get<std::string>()) {
        throw Error((folder_ / file).string() + ": was altered while in use; start again");
    }
    return text;
}

}  // namespace seesay::weights
