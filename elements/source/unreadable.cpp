// Recognises the usual impostors: nothing, text, web pages, Git LFS pointers.
#include "elements/source/unreadable.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>

namespace seesay::elements {
namespace {

bool looks_like_text(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
    });
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

}  // namespace

std::string describe_unreadable(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return {};
    }
    std::array<char, 1024> buffer{};
    file.read(buffer.data(), buffer.size());
    const std::string_view head(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (head.empty()) {
        return "the file is empty";
    }
    if (head.starts_with("version https://git-lfs")) {
        return "it is a Git LFS pointer, not the film: fetch it with `git lfs pull`";
    }
    if (!looks_like_text(head)) {
        return {};
    }
    const std::string text = lower(head);
    if (text.find("<html") != std::string::npos ||
        text.find("<!doctype html") != std::string::npos) {
        return "it is a web page (an error page saved in place of the film?)";
    }
    return "it is a text file";
}

}  // namespace seesay::elements
