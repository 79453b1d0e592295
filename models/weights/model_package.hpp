// Model packages: a folder with model.json, weights.safetensors, README.md and, for captioners,
// vocabulary.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/weights/safetensors.hpp"

namespace seesay::weights {

/// What a package is for.
enum class PackageKind { Encoder, Captioner };

/// An opened and checked package. `model.json` names each file with its size and SHA-256 (key
/// `files`), and carries its own SHA-256 (key `sha256`: of the compact, key-sorted dump of the
/// document without that key), which is the package's identity: event key `model.sha256`,
/// `encoder.sha256` in a captioner.
class ModelPackage {
 public:
    /// Reads and checks everything: sizes, checksums, JSON types, safetensors bounds, weights that
    /// are NaN or infinite. Throws Error naming the file and what is wrong with it.
    static ModelPackage open(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] PackageKind kind() const { return kind_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& sha256() const { return sha256_; }
    [[nodiscard]] const std::string& architecture() const { return architecture_; }
    [[nodiscard]] const nlohmann::json& manifest() const { return manifest_; }
    [[nodiscard]] const Safetensors& tensors() const { return tensors_; }
    /// Bytes of a small text file of the package that `files` names (vocabulary.json).
    [[nodiscard]] std::string read_text(const std::string& file) const;

 private:
    std::filesystem::path folder_;
    PackageKind kind_ = PackageKind::Encoder;
    std::string name_;
    std::string sha256_;
    std::string architecture_;
    nlohmann::json manifest_;
    Safetensors tensors_;
};

/// Writes a package: the given manifest (without `format`, `format_version`, `files` and `sha256`,
/// which are filled in here), the tensors, and text files by name (README.md, vocabulary.json).
/// Everything is written to a temporary folder beside `folder`, opened once as a check, and renamed
/// when whole; an existing package there is replaced only with `replace`. Throws Error.
void write_package(const std::filesystem::path& folder, nlohmann::json manifest,
                   const std::vector<NamedTensor>& tensors,
                   const std::vector<std::pair<std::string, std::string>>& text_files,
                   bool replace);

/// Finds a package: an argument with a `/` is a path, else a name looked up in
/// `$SEESAY_PACKAGE_PATH` (a list with `:`), in `../share/seesay/packages` beside the program, then
/// beside the plugin, then in the source tree of a build. Throws Error listing the places searched,
/// with a "did you mean".
std::filesystem::path find_package(const std::string& argument);

/// The folders that find_package searches, in order.
std::vector<std::filesystem::path> package_path();

/// Every folder on the package path that holds a model.json, in order of search.
std::vector<std::filesystem::path> list_packages();

}  // namespace seesay::weights
