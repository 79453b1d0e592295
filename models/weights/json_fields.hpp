// JsonFields: typed, range-checked access to an object of a JSON file; errors name file and key.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace seesay::weights {

/// A view of a JSON object that must outlive it. Each getter throws Error ("FILE: key "a.b" must be
/// …") where the key is missing, has another type, or is out of range.
class JsonFields {
 public:
    /// `prefix` is the dotted path of `object` within the file, empty for the root. Throws Error if
    /// it is no object.
    JsonFields(const nlohmann::json& object, std::string origin, std::string prefix = "");

    [[nodiscard]] bool has(const std::string& key) const { return object_.contains(key); }
    [[nodiscard]] std::string string(const std::string& key) const;
    /// A string that is one of `choices`.
    [[nodiscard]] std::string choice(const std::string& key,
                                     const std::vector<std::string>& choices) const;
    [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t minimum,
                                       std::int64_t maximum) const;
    [[nodiscard]] double number(const std::string& key, double minimum, double maximum) const;
    [[nodiscard]] bool boolean(const std::string& key) const;
    /// `count` finite numbers.
    [[nodiscard]] std::vector<double> numbers(const std::string& key, std::size_t count) const;
    [[nodiscard]] JsonFields object(const std::string& key) const;

    [[nodiscard]] const nlohmann::json& json() const { return object_; }
    /// Throws Error("FILE: key "a.b" " + what).
    [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
    [[nodiscard]] const nlohmann::json& at(const std::string& key, const char* wanted) const;

    const nlohmann::json& object_;
    std::string origin_;
    std::string prefix_;
};

}  // namespace seesay::weights
