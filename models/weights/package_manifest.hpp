// model.json: its rules, which the reader and the writer of packages share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "models/weights/model_package.hpp"

namespace seesay::weights {

inline constexpr const char* manifest_name = "model.json";
inline constexpr const char* weights_name = "weights.safetensors";
inline constexpr const char* vocabulary_name = "vocabulary.json";
inline constexpr const char* package_format = "seesay-package";
inline constexpr int package_format_version = 1;

/// What model.json says about one file of the package.
struct PackageFile {
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// The checked content of a model.json.
struct PackageManifest {
    nlohmann::json document;
    PackageKind kind = PackageKind::Encoder;
    std::string name;
    std::string architecture;
    std::string sha256;
    std::map<std::string, PackageFile> files;
};

/// Checks the text of a model.json: syntax, format version, key types, file names, its own SHA-256.
/// Throws Error that starts with `origin`.
PackageManifest parse_manifest(std::string_view text, const std::string& origin);

/// SHA-256 of the compact, key-sorted dump of `document` without its key `sha256`.
std::string manifest_sha256(nlohmann::json document);

/// Whether `name` can name a package: 1–64 of A–Z a–z 0–9 . _ -, not starting with a dot.
bool is_package_name(std::string_view name);

/// Whether `name` can name a file of a package: as is_package_name, so never a path.
bool is_package_file_name(std::string_view name);

}  // namespace seesay::weights
