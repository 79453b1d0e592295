// Reading and checking of settings files.
#include "config/settings_file.hpp"

#include <yaml-cpp/depthguard.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "config/config_error.hpp"

namespace seesay::config {
namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;

// Line of the first byte that is not UTF-8 text (control characters are not text), or 0.
int first_bad_line(const std::string& text) {
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        const bool control = lead < 0x20 && lead != '\n' && lead != '\r' && lead != '\t';
        if (control || lead == 0x7F || (lead >= 0x80 && lead < 0xC2) || lead > 0xF4 ||
            i + length > text.size()) {
            return line;
        }
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) {
                return line;
            }
        }
        line += lead == '\n' ? 1 : 0;
        i += length;
    }
    return 0;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

template <typename T>
bool parse_number(const std::string& text, T& value) {
    const char* begin = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, value);
    return error == std::errc() && rest == end;
}

}  // namespace

std::string read_settings_text(const std::filesystem::path& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        throw ConfigError(file.string() + ": this is a folder, not a settings file");
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw ConfigError(file.string() + ": cannot read the settings file");
    }
    std::string text(kLargestFile + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile) {
        throw ConfigError(file.string() + ": larger than 1 MiB: not a settings file");
    }
    return text;
}

SettingsFile::SettingsFile(const std::string& text, std::string origin)
    : origin_(std::move(origin)) {
    const std::string body = text.rfind("\xEF\xBB\xBF", 0) == 0 ? text.substr(3) : text;
    if (const int line = first_bad_line(body); line > 0) {
        throw ConfigError(origin_ + ":" + std::to_string(line) + ": not UTF-8 text");
    }
    YAML::Node document;
    try {
        std::vector<YAML::Node> documents = YAML::LoadAll(body);
        if (documents.size() > 1) {
            fail_at(documents[1].Mark(), "a second document; settings are one");
        }
        if (!documents.empty()) document = documents.front();
    } catch (const YAML::DeepRecursion& mistake) {
        fail_at(mistake.mark, "nested too deeply; settings are `key: value` lines");
    } catch (const YAML::Exception& mistake) {
        fail_at(mistake.mark, "not YAML: " + mistake.msg);
    }
    if (document.IsNull()) {
        return;
    }
    if (!document.IsMap()) {
        fail_at(document.Mark(), "expected a map of settings (`key: value` lines)");
    }
    std::map<std::string, int> lines;
    for (const auto& pair : document) {
        if (!pair.first.IsScalar()) {
            fail_at(pair.first.Mark(), "a key must be a word");
        }
        Entry entry{pair.first.Scalar(), pair.first.Mark(), pair.second, false};
        const auto [first, fresh] = lines.emplace(entry.key, entry.mark.line + 1);
        if (!fresh) {
            fail_at(entry.mark, "the key '" + entry.key + "' is given twice (first on line " +
                                    std::to_string(first->second) + ")");
        }
        entries_.push_back(std::move(entry));
    }
}

void SettingsFile::fail_at(const YAML::Mark& mark, const std::string& what) const {
    throw ConfigError(origin_ + ":" + std::to_string(mark.is_null() ? 1 : mark.line + 1) + ": " +
                      what);
}

void SettingsFile::fail(const std::string& key, const std::string& what) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.key == key; });
    fail_at(found == entries_.end() ? YAML::Mark::null_mark() : found->mark, key + ": " + what);
}

const YAML::Node* SettingsFile::scalar(const std::string& key) {
    known_.push_back(key);
    for (auto& entry : entries_) {
        if (entry.key == key) {
            entry.read = true;
            if (!entry.value.IsScalar()) {
                fail_at(entry.mark, key + ": expected one value, not " +
                                        (entry.value.IsNull()  ? "nothing"
                                         : entry.value.IsMap() ? "a map"
                                                               : "a list"));
            }
            return &entry.value;
        }
    }
    return nullptr;
}

bool SettingsFile::read(const std::string& key, std::string& value) {
    const YAML::Node* node = scalar(key);
    if (node != nullptr) {
        value = node->Scalar();
        if (value.empty()) fail(key, "is empty; leave the line out for the default");
    }
    return node != nullptr;
}

bool SettingsFile::read(const std::string& key, double& value) {
    const YAML::Node* node = scalar(key);
    if (node != nullptr && (!parse_number(node->Scalar(), value) || !std::isfinite(value))) {
        fail(key, "expected a number, found '" + node->Scalar() + "'");
    }
    return node != nullptr;
}

bool SettingsFile::read(const std::string& key, int& value) {
    const YAML::Node* node = scalar(key);
    if (node != nullptr && !parse_number(node->Scalar(), value)) {
        fail(key, "expected a whole number, found '" + node->Scalar() + "'");
    }
    return node != nullptr;
}

bool SettingsFile::read(const std::string& key, bool& value) {
    const YAML::Node* node = scalar(key);
    if (node != nullptr) {
        // Quoted or not, only the two words of YAML 1.2: `on` and `no` mean different things to
        // different readers.
        if (node->Scalar() != "true" && node->Scalar() != "false") {
            fail(key, "expected true or false, found '" + node->Scalar() + "'");
        }
        value = node->Scalar() == "true";
    }
    return node != nullptr;
}

void SettingsFile::finish() const {
    for (const auto& entry : entries_) {
        if (entry.read) {
            continue;
        }
        std::string nearest;
        std::size_t best = std::max<std::size_t>(2, entry.key.size() / 3) + 1;
        for (const auto& candidate : known_) {
            const std::size_t distance = edit_distance(entry.key, candidate);
            if (distance < best) {
                best = distance;
                nearest = candidate;
            }
        }
        std::string what = "unknown key '" + entry.key + "'";
        what += nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
        fail_at(entry.mark, what);
    }
}

}  // namespace seesay::config
