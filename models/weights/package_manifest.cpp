// What must be in model.json. Keys that belong to one architecture are checked by who builds it.
#include "models/weights/package_manifest.hpp"

#include <algorithm>

#include "models/error.hpp"
#include "models/weights/json_fields.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/sha256.hpp"
#include "models/weights/strict_json.hpp"

namespace seesay::weights {
namespace {

constexpr std::int64_t largest_weights = std::int64_t{8} << 30U;
constexpr std::int64_t largest_text = std::int64_t{64} << 20U;
constexpr std::size_t most_files = 64;
constexpr std::int64_t largest_size = 1'000'000;
/// Fuzzers would never get past a checksum.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool verify_checksums = false;
#else
constexpr bool verify_checksums = true;
#endif

void check_format(const JsonFields& fields) {
    if (!fields.has("format") || fields.json().at("format") != package_format) {
        fields.fail("format", std::string("is not \"") + package_format +
                                  "\"; this is no seesay model package");
    }
    const std::int64_t version = fields.integer("format_version", 1, 1'000'000);
    if (version != package_format_version) {
        fields.fail("format_version",
                    "is " + std::to_string(version) + ", this program reads version " +
                        std::to_string(package_format_version) + "; update seesay");
    }
}

void check_encoder(const JsonFields& fields) {
    (void)fields.object("preprocessing");
    (void)fields.string("padding");
    const JsonFields features = fields.object("features");
    if (features.choice("kind", {"grid", "boxes"}) == "grid") {
        (void)features.integer("rows", 1, largest_size);
        (void)features.integer("columns", 1, largest_size);
    }
    (void)features.integer("dimension", 1, largest_size);
    const JsonFields probes = fields.object("probes");
    (void)probes.integer("seed", 0, INT64_MAX);
    (void)probes.integer("count", 1, 1000);
}

void check_captioner(const JsonFields& fields) {
    if (fields.string("language").empty()) {
        fields.fail("language", "is empty");
    }
    const JsonFields encoder = fields.object("encoder");
    if (!is_package_name(encoder.string("name"))) {
        encoder.fail("name", "is not a package name");
    }
    if (!is_sha256(encoder.string("sha256"))) {
        encoder.fail("sha256", "is not a SHA-256");
    }
    (void)fields.object("decoding");
}

std::map<std::string, PackageFile> read_files(const JsonFields& fields, PackageKind kind) {
    const JsonFields list = fields.object("files");
    if (list.json().size() > most_files) {
        fields.fail("files", "names " + std::to_string(list.json().size()) + " files");
    }
    std::map<std::string, PackageFile> files;
    for (const auto& [name, ignored] : list.json().items()) {
        if (!is_package_file_name(name) || name == manifest_name) {
            list.fail(name, "is not a plain file name inside the package");
        }
        const JsonFields entry = list.object(name);
        PackageFile file;
        file.bytes = static_cast<std::uint64_t>(
            entry.integer("bytes", 0, name == weights_name ? largest_weights : largest_text));
        file.sha256 = entry.string("sha256");
        if (!is_sha256(file.sha256)) {
            entry.fail("sha256", "is not a SHA-256");
        }
        files.emplace(name, std::move(file));
    }
    for (const char* needed : {weights_name, vocabulary_name}) {
        const bool wanted = kind == PackageKind::Captioner || needed == weights_name;
        if (wanted && !files.contains(needed)) {
            fields.fail("files", std::string("does not name ") + needed);
        }
    }
    return files;
}

}  // namespace

std::string manifest_sha256(nlohmann::json document) {
    document.erase("sha256");
    return sha256_of(std::string_view(document.dump()));
}

bool is_package_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
           });
}

bool is_package_file_name(std::string_view name) {
    return is_package_name(name);
}

PackageManifest parse_manifest(std::string_view text, const std::string& origin) {
    PackageManifest manifest;
    manifest.document = parse_strict_json(text, origin);
    const JsonFields fields(manifest.document, origin);
    check_format(fields);
    manifest.kind = fields.choice("kind", {"encoder", "captioner"}) == "encoder"
                        ? PackageKind::Encoder
                        : PackageKind::Captioner;
    manifest.name = fields.string("name");
    if (!is_package_name(manifest.name)) {
        fields.fail("name", "is " + printable(manifest.name) +
                                "; a package name has 1 to 64 of A-Z a-z 0-9 . _ -");
    }
    manifest.architecture = fields.string("architecture");
    (void)fields.object("sizes");
    (void)fields.object("provenance");
    (void)fields.string("licence");
    if (manifest.kind == PackageKind::Encoder) {
        check_encoder(fields);
    } else {
        check_captioner(fields);
    }
    manifest.files = read_files(fields, manifest.kind);
    manifest.sha256 = fields.string("sha256");
    if (verify_checksums && manifest.sha256 != manifest_sha256(manifest.document)) {
        fields.fail("sha256",
                    "does not match the file's content; it was altered, fetch the package again");
    }
    return manifest;
}

}  // namespace seesay::weights
