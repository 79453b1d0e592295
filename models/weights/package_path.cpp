// Where packages are looked for.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "models/error.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/nearest_name.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

namespace fs = std::filesystem;

void append(std::vector<fs::path>& folders, const fs::path& folder) {
    const fs::path normal = folder.lexically_normal();
    if (std::find(folders.begin(), folders.end(), normal) == folders.end()) {
        folders.push_back(normal);
    }
}

/// The file that holds this code: the program, or the plugin that it was linked into.
fs::path own_file() {
    Dl_info info{};
    // Any address inside this object will do.
    static const char here = 0;
    std::error_code ignored;
    if (::dladdr(&here, &info) != 0 && info.dli_fname != nullptr) {
        return fs::canonical(info.dli_fname, ignored);
    }
    return {};
}

std::string searched(const std::vector<fs::path>& folders) {
    std::string list;
    for (const fs::path& folder : folders) {
        list += (list.empty() ? "" : ", ") + folder.string();
    }
    return list;
}

/// Whether the folder is what is left of a package without its model.json: it has weights.
bool lost_its_manifest(const fs::path& folder) {
    std::error_code ignored;
    return !fs::exists(folder / manifest_name, ignored) &&
           fs::exists(folder / weights_name, ignored);
}

fs::path checked_path(const std::string& argument) {
    std::error_code ignored;
    fs::path folder(argument);
    if (!fs::exists(folder, ignored)) {
        throw Error("package " + argument + ": no such folder");
    }
    if (!fs::is_directory(folder, ignored)) {
        throw Error("package " + argument +
                    ": is not a folder; a model package is a folder with a "
                    "model.json");
    }
    if (!fs::exists(folder / manifest_name, ignored)) {
        throw Error("package " + argument + ": no model package there (model.json is missing)");
    }
    return folder;
}

}  // namespace

std::vector<fs::path> package_path() {
    std::vector<fs::path> folders;
    if (const char* list = std::getenv("SEESAY_PACKAGE_PATH")) {
        const std::string_view text(list);
        for (std::size_t start = 0; start <= text.size();) {
            const std::size_t end = std::min(text.find(':', start), text.size());
            if (end > start) {
                append(folders, fs::path(text.substr(start, end - start)));
            }
            start = end + 1;
        }
    }
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    if (!program.empty()) {
        append(folders, program.parent_path() / "../share/seesay/packages");
    }
    // A plugin lies in lib/gstreamer-1.0 or lib/<architecture>/gstreamer-1.0 of its installation.
    if (const fs::path own = own_file(); !own.empty() && own != program) {
        for (const char* up : {"..", "../..", "../../.."}) {
            const fs::path candidate = own.parent_path() / up / "share/seesay/packages";
            if (fs::is_directory(candidate, ignored)) {
                append(folders, candidate);
            }
        }
    }
    if (fs::is_directory(SEESAY_SOURCE_PACKAGES, ignored)) {
        append(folders, SEESAY_SOURCE_PACKAGES);
    }
    return folders;
}

std::vector<fs::path> list_packages() {
    std::vector<fs::path> packages;
    for (const fs::path& folder : package_path()) {
        std::vector<fs::path> found;
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
             entry.increment(error)) {
            std::error_code ignored;
            if (is_package_name(entry->path().filename().string()) &&
                (fs::exists(entry->path() / manifest_name, ignored) ||
                 lost_its_manifest(entry->path()))) {
                found.push_back(entry->path());
            }
        }
        std::sort(found.begin(), found.end());
        packages.insert(packages.end(), found.begin(), found.end());
    }
    return packages;
}

fs::path find_package(const std::string& argument) {
    if (argument.empty()) {
        throw Error("the package name is empty; `seesay models` lists the packages");
    }
    if (argument.find('/') != std::string::npos) {
        return checked_path(argument);
    }
    if (!is_package_name(argument)) {
        throw Error("package " + printable(argument) +
                    ": not a package name (1 to 64 of A-Z a-z 0-9 . _ -); write a path with a /");
    }
    const std::vector<fs::path> folders = package_path();
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        if (fs::exists(folder / argument / manifest_name, ignored)) {
            return folder / argument;
        }
        // Another package of the same name further on is not what was put here.
        if (lost_its_manifest(folder / argument)) {
            throw Error((folder / argument / manifest_name).string() +
                        ": is missing from the package; fetch the package again");
        }
    }
    std::vector<std::string> names;
    for (const fs::path& package : list_packages()) {
        names.push_back(package.filename().string());
    }
    const auto near = nearest_name(argument, names);
    throw Error("package " + printable(argument) + ": not found" +
                (near ? "; did you mean " + printable(*near) + "?" : "") + " (searched " +
                searched(folders) + ")");
}

}  // namespace seesay::weights
