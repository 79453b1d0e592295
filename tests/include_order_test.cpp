// The borders between folders: who may include whom, over the whole source tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace seesay {
namespace {

namespace fs = std::filesystem;

struct Include {
    std::string from;  ///< file, relative to the root
    std::string what;  ///< what stands between the quotes or angle brackets
    bool quoted = false;
};

std::vector<Include> includes_of(const std::string& layer) {
    static const std::regex line_pattern(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
    std::vector<Include> found;
    const fs::path root = SEESAY_SOURCE_DIR;
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
        const std::string ending = entry.path().extension().string();
        if (ending != ".cpp" && ending != ".hpp" && ending != ".h") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            std::smatch match;
            if (std::regex_search(line, match, line_pattern)) {
                found.push_back(
                    {fs::relative(entry.path(), root).string(), match[2], match[1] == "\""});
            }
        }
    }
    EXPECT_FALSE(found.empty()) << layer;
    return found;
}

std::string first_part(const std::string& path) {
    return path.substr(0, path.find('/'));
}

// "models/vision/image.hpp" → "models/vision"; a file right in a layer stands for the layer.
std::string folder_of(const std::string& path) {
    return fs::path(path).parent_path().string();
}

// To the right of a layer: what it may include besides itself.
const std::map<std::string, std::set<std::string>> kLayers{
    {"config", {}},
    {"models", {}},
    {"elements", {"models"}},
    {"pipeline", {"elements", "models", "config"}},
    {"tools", {"pipeline", "elements", "models", "config"}},
};

// A folder of models/ may include those before it.
const std::vector<std::string> kModels{"tensor",    "weights",  "metrics",   "vision",
                                       "detection", "language", "answering", "translation",
                                       "glimpse",   "import",   "training",  "runtime"};

TEST(Includes, FollowTheLayers) {
    for (const auto& [layer, allowed] : kLayers) {
        for (const Include& include : includes_of(layer)) {
            if (!include.quoted) continue;
            // `seesay bench` measures against a routine that is no part of the product.
            if (layer == "tools" && folder_of(include.what) == "tests/bench") continue;
            const std::string target = first_part(include.what);
            EXPECT_TRUE(target == layer || allowed.contains(target))
                << include.from << " includes " << include.what;
        }
    }
}

TEST(Includes, InsideModelsPointUp) {
    const auto rank = [](const std::string& path) {
        const std::string folder = fs::path(folder_of(path)).filename().string();
        const auto place = std::find(kModels.begin(), kModels.end(), folder);
        EXPECT_TRUE(place != kModels.end()) << path << " lies in no folder of the list";
        return place - kModels.begin();
    };
    for (const Include& include : includes_of("models")) {
        if (!include.quoted || include.what == "models/error.hpp") continue;
        EXPECT_LE(rank(include.what), rank(include.from))
            << include.from << " includes " << include.what;
    }
}

TEST(Includes, MediaStaysOutOfModelsAndConfig) {
    const std::regex media(R"(^(gst/|glib|gobject|gio/|libav|pango|cairo|zmq))");
    for (const char* layer : {"models", "config"}) {
        for (const Include& include : includes_of(layer)) {
            EXPECT_FALSE(std::regex_search(include.what, media))
                << include.from << " includes " << include.what;
        }
    }
}

TEST(Includes, AreWrittenFromTheRoot) {
    for (const auto& [layer, allowed] : kLayers) {
        for (const Include& include : includes_of(layer)) {
            if (!include.quoted) continue;
            EXPECT_TRUE(fs::exists(fs::path(SEESAY_SOURCE_DIR) / include.what))
                << include.from << " includes " << include.what;
        }
    }
}

// Depth-first: a folder met again while it is still open closes a circle.
class Circles {
 public:
    explicit Circles(std::map<std::string, std::set<std::string>> uses) : uses_(std::move(uses)) {}

    void look() {
        for (const auto& [folder, used] : uses_)
            visit(folder);
    }

 private:
    void visit(const std::string& folder) {
        if (done_.contains(folder)) return;
        open_.push_back(folder);
        for (const std::string& next : uses_[folder]) {
            if (std::find(open_.begin(), open_.end(), next) != open_.end()) {
                ADD_FAILURE() << folder << " and " << next << " include each other";
                continue;
            }
            visit(next);
        }
        open_.pop_back();
        done_.insert(folder);
    }

    std::map<std::string, std::set<std::string>> uses_;
    std::vector<std::string> open_;
    std::set<std::string> done_;
};

TEST(Includes, FoldersDoNotGoInCircles) {
    std::map<std::string, std::set<std::string>> uses;
    for (const auto& [layer, allowed] : kLayers) {
        for (const Include& include : includes_of(layer)) {
            const std::string from = folder_of(include.from), to = folder_of(include.what);
            if (include.quoted && from != to) uses[from].insert(to);
        }
    }
    Circles(std::move(uses)).look();
}

}  // namespace
}  // namespace seesay
