// SettingsFile: a YAML map whose every mistake is told with file, line and key.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <vector>

namespace seesay::config {

/// Reads a file of at most 1 MiB; a byte order mark is taken off. Throws ConfigError.
std::string read_settings_text(const std::filesystem::path& file);

/// A parsed document of one flat map. Each known key is read once by type; `finish` complains about
/// the others.
class SettingsFile {
 public:
    /// Throws ConfigError unless `text` is UTF-8 and one YAML map (or empty).
    SettingsFile(const std::string& text, std::string origin);

    /// Each reads `key` into `value` if the file has it; throws ConfigError if the type is another.
    bool read(const std::string& key, std::string& value);
    bool read(const std::string& key, double& value);
    bool read(const std::string& key, int& value);
    bool read(const std::string& key, bool& value);

    /// Throws ConfigError for `key` of this file with its line.
    [[noreturn]] void fail(const std::string& key, const std::string& what) const;

    /// Throws ConfigError for the first key that nobody has read, with the nearest one that
    /// somebody would.
    void finish() const;

 private:
    [[nodiscard]] const YAML::Node* scalar(const std::string& key);
    [[noreturn]] void fail_at(const YAML::Mark& mark, const std::string& what) const;

    struct Entry {
        std::string key;
        YAML::Mark mark;
        YAML::Node value;
        bool read = false;
    };
    std::string origin_;
    std::vector<Entry> entries_;
    std::vector<std::string> known_;
};

}  // namespace seesay::config
