// The usual failed downloads, told apart by their first bytes.
#include "models/weights/foreign_file.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace seesay::weights {

std::string describe_foreign_file(std::span<const std::byte> bytes) {
    if (bytes.empty()) {
        return "is empty (0 bytes); fetch it again";
    }
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                                std::min<std::size_t>(bytes.size(), 64));
    if (head.starts_with("version https://git-lfs.github.com/")) {
        return "is a Git LFS pointer, not the file itself; run `git lfs pull` or fetch the file";
    }
    std::string text;
    for (const char character : head) {
        if (text.empty() && std::isspace(static_cast<unsigned char>(character)) != 0) {
            continue;
        }
        text.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(character))));
    }
    if (text.starts_with("<!doctype") || text.starts_with("<html") || text.starts_with("<?xml")) {
        return "is a web page, not weights; the download failed, fetch the file again";
    }
    return {};
}

}  // namespace seesay::weights
