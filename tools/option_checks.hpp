// Checks that several commands put on their options.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

namespace seesay::tools {

/// An option that is written down with nothing behind it (an unset variable of a script?) is a
/// mistake, not the default.
inline CLI::Option* refuse_nothing(CLI::Option* option) {
    return option->check(
        [](const std::string& value) { return std::string(value.empty() ? "is empty" : ""); });
}

/// The same for every option of a command that takes a value.
inline void refuse_empty_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        if (option->get_items_expected_max() > 0) refuse_nothing(option);
    }
}

/// A number from `low` to `high`; `limits` says so ("from 0 to 1"). In contrast to CLI::Range it
/// lets no NaN through.
inline CLI::Validator number_within(double low, double high, const std::string& limits) {
    return {
        [low, high, limits](const std::string& text) {
            double value = 0.0;
            const char* end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            const bool good = error == std::errc() && rest == end && value >= low && value <= high;
            return good ? std::string() : "expected a number " + limits + ", found '" + text + "'";
        },
        limits};
}

}  // namespace seesay::tools
