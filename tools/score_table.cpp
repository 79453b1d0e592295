// Prints caption scores and writes them as JSON.
#include "tools/score_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "models/error.hpp"

namespace seesay::tools {
namespace {

using NamedScore = std::pair<std::string_view, double>;

std::array<NamedScore, 7> named(const metrics::CaptionScores& scores) {
    return {{{"BLEU-1", scores.bleu[0]},
             {"BLEU-2", scores.bleu[1]},
             {"BLEU-3", scores.bleu[2]},
             {"BLEU-4", scores.bleu[3]},
             {"ROUGE-L", scores.rouge_l},
             {"CIDEr-D", scores.cider_d},
             {"CIDEr", scores.cider}}};
}

std::string four_decimals(double value) {
    std::array<char, 64> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 4);
    return {text.data(), end.ptr};
}

[[noreturn]] void fail(const std::filesystem::path& out, const std::string& reason) {
    throw Error("cannot write " + out.string() + ": " + reason +
                "; check the folder and its free space");
}

std::string last_error() {
    return errno != 0 ? std::generic_category().message(errno) : "writing failed";
}

}  // namespace

nlohmann::ordered_json scores_as_json(const metrics::CaptionScores& scores) {
    nlohmann::ordered_json document;
    for (const auto& [name, value] : named(scores))
        document["metrics"][std::string(name)] = value;
    document["images"] = scores.images.size();
    return document;
}

std::string scores_as_table(const metrics::CaptionScores& scores) {
    constexpr std::size_t kNameWidth = 9;
    constexpr std::size_t kValueWidth = 8;
    std::string table;
    const auto row = [&](std::string_view name, const std::string& value) {
        table.append(name).append(kNameWidth - name.size(), ' ');
        table.append(value.size() < kValueWidth ? kValueWidth - value.size() : 1, ' ');
        table.append(value).append("\n");
    };
    for (const auto& [name, value] : named(scores))
        row(name, four_decimals(value));
    row("images", std::to_string(scores.images.size()));
    return table;
}

std::string comparison_as_table(const std::vector<ComparedScores>& rows) {
    std::vector<std::vector<std::string>> cells{{"package", "architecture", "beam"}};
    for (const auto& [name, value] : named({})) {
        cells.front().emplace_back(name);
    }
    for (const ComparedScores& row : rows) {
        auto& line = cells.emplace_back();
        line = {row.package, row.architecture, std::to_string(row.beam)};
        for (const auto& [name, value] : named(row.scores)) {
            line.push_back(four_decimals(value));
        }
    }
    std::vector<std::size_t> widths(cells.front().size(), 0);
    for (const auto& line : cells) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    constexpr std::size_t kNames = 2;  // columns of names are aligned to the left
    std::string table;
    for (const auto& line : cells) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string room(widths[i] - line[i].size(), ' ');
            table.append(i == 0 ? "" : "  ");
            table.append(i < kNames ? line[i] + room : room + line[i]);
        }
        table.append("\n");
    }
    return table;
}

void require_json_output(const std::filesystem::path& out,
                         std::initializer_list<std::filesystem::path> inputs) {
    if (out.empty() || out == "-") return;
    namespace fs = std::filesystem;
    std::error_code error;
    const auto status = fs::status(out, error);
    if (fs::is_directory(status)) fail(out, "it is a folder");
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        throw Error("cannot write " + out.string() +
                    ": it is not a regular file; give another name, or - for standard output");
    }
    for (const auto& input : inputs) {
        if (fs::equivalent(out, input, error)) {
            throw Error("cannot write " + out.string() +
                        ": it is an input of this command; give another name");
        }
    }
    const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(out, last_error());
}

void write_json(const nlohmann::ordered_json& document, const std::filesystem::path& out) {
    const std::string text = document.dump(2) + "\n";
    if (out == "-") {
        std::cout << text << std::flush;
        if (!std::cout) throw Error("cannot write the scores to standard output");
        return;
    }
    std::error_code error;
    auto part = out;
    part.replace_extension(".part" + out.extension().string());
    errno = 0;
    std::ofstream stream(part, std::ios::binary | std::ios::trunc);
    if (!stream) fail(out, last_error());
    stream << text;
    stream.close();
    if (!stream) {
        const std::string reason = last_error();
        std::filesystem::remove(part, error);
        fail(out, reason);
    }
    std::filesystem::rename(part, out, error);
    if (error) {
        const std::string reason = error.message();
        std::filesystem::remove(part, error);
        fail(out, reason);
    }
}

void report_scores(const metrics::CaptionScores& scores, const nlohmann::ordered_json& document,
                   const std::filesystem::path& json_out) {
    if (!json_out.empty()) write_json(document, json_out);
    if (json_out == "-") return;
    std::cout << scores_as_table(scores) << std::flush;
    if (!std::cout) throw Error("cannot write the scores to standard output");
}

void report_comparison(const std::vector<ComparedScores>& rows,
                       const nlohmann::ordered_json& documents,
                       const std::filesystem::path& json_out) {
    if (!json_out.empty()) write_json(documents, json_out);
    if (json_out == "-") return;
    std::cout << comparison_as_table(rows) << std::flush;
    if (!std::cout) throw Error("cannot write the scores to standard output");
}

}  // namespace seesay::tools
