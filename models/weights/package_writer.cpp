// Writes a model package as a whole: into a folder beside the target, checked by opening it, then
// renamed.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "models/error.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/output_file.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/sha256.hpp"

namespace seesay::weights {
namespace {

namespace fs = std::filesystem;

/// A new folder beside `target`, removed with its content unless it was renamed away.
class PartFolder {
 public:
    explicit PartFolder(const fs::path& target) {
        for (int attempt = 0; attempt < 100; ++attempt) {
            path_ = target;
            path_ += ".part." + std::to_string(::getpid()) + "-" + std::to_string(attempt);
            std::error_code error;
            if (fs::create_directory(path_, error)) {
                return;
            }
            if (error) {
                throw Error(target.string() + ": cannot be written: " + error.message());
            }
        }
        throw Error(target.string() + ": cannot be written: too many left-over .part folders");
    }
    PartFolder(const PartFolder&) = delete;
    PartFolder& operator=(const PartFolder&) = delete;
    ~PartFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }

 private:
    fs::path path_;
};

/// Absolute, without a trailing slash.
fs::path normal(const fs::path& folder) {
    fs::path result = fs::absolute(folder).lexically_normal();
    return result.has_filename() ? result : result.parent_path();
}

/// Refuses a target that must not be replaced.
void check_target(const fs::path& target, bool replace) {
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(target, ignored);
    if (!fs::exists(status)) {
        if (!fs::is_directory(target.parent_path(), ignored)) {
            throw Error(target.string() + ": cannot be written: there is no folder " +
                        target.parent_path().string());
        }
        return;
    }
    if (!fs::is_directory(status)) {
        throw Error(target.string() + ": exists and is not a folder; choose another name");
    }
    const bool package = fs::exists(target / manifest_name, ignored);
    if (!package && !fs::is_empty(target, ignored)) {
        throw Error(target.string() + ": exists and is not a model package; choose another name");
    }
    if (package && !replace) {
        throw Error(target.string() + ": exists already; use --force to replace it");
    }
}

/// Puts the finished folder in place; what was there before ends up under the part name, which is
/// removed.
void move_into_place(const fs::path& part, const fs::path& target) {
    if (::rename(part.c_str(), target.c_str()) == 0) {
        return;
    }
    if ((errno == ENOTEMPTY || errno == EEXIST) &&
        ::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
        return;
    }
    if (errno == EINVAL || errno == ENOSYS) {  // a file system that cannot exchange
        fs::path old = part;
        old += ".old";
        if (::rename(target.c_str(), old.c_str()) == 0 &&
            ::rename(part.c_str(), target.c_str()) == 0) {
            std::error_code ignored;
            fs::remove_all(old, ignored);
            return;
        }
    }
    throw Error(target.string() + ": cannot be written: " + std::generic_category().message(errno));
}

nlohmann::json describe(const fs::path& file) {
    return {{"bytes", fs::file_size(file)}, {"sha256", sha256_of_file(file)}};
}

void write_text(const fs::path& file, const std::string& text) {
    OutputFile output(file);
    output.write(text);
    output.commit();
}

}  // namespace

void write_package(const fs::path& folder, nlohmann::json manifest,
                   const std::vector<NamedTensor>& tensors,
                   const std::vector<std::pair<std::string, std::string>>& text_files,
                   bool replace) {
    const fs::path target = normal(folder);
    check_target(target, replace);
    const PartFolder part(target);
    nlohmann::json files = nlohmann::json::object();
    write_safetensors(part.path() / weights_name, tensors);
    files[weights_name] = describe(part.path() / weights_name);
    for (const auto& [name, text] : text_files) {
        if (!is_package_file_name(name) || name == manifest_name || files.contains(name)) {
            throw Error(target.string() + ": a package cannot hold a file " + printable(name));
        }
        write_text(part.path() / name, text);
        files[name] = describe(part.path() / name);
    }
    manifest["format"] = package_format;
    manifest["format_version"] = package_format_version;
    manifest["files"] = std::move(files);
    manifest["sha256"] = manifest_sha256(manifest);
    write_text(part.path() / manifest_name, manifest.dump(2) + "\n");
    (void)ModelPackage::open(part.path());
    move_into_place(part.path(), target);
}

}  // namespace seesay::weights
