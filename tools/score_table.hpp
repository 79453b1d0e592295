// Caption scores for people (a table) and for programs (JSON): what `evaluate` and `score` print.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/metrics/caption_scores.hpp"

namespace seesay::tools {

/// {"metrics": {"BLEU-1", …, "BLEU-4", "ROUGE-L", "CIDEr-D", "CIDEr"}, "images": N}, in this order;
/// a command appends its own keys.
nlohmann::ordered_json scores_as_json(const metrics::CaptionScores& scores);

/// One line a metric with four decimals, the number of images last; ends in a line break. Numbers
/// do not depend on the locale.
std::string scores_as_table(const metrics::CaptionScores& scores);

/// One row of a comparison.
struct ComparedScores {
    std::string package;
    std::string architecture;
    int beam = 0;
    metrics::CaptionScores scores;
};

/// A table with one row a package and one column a metric, four decimals.
std::string comparison_as_table(const std::vector<ComparedScores>& rows);

/// Checks before the work what write_json would stumble over after it, and what it would destroy:
/// `out` may not be a folder, a device or one of the `inputs` (by any spelling), and its folder
/// must be writable. Empty and "-" are fine. Throws seesay::Error.
void require_json_output(const std::filesystem::path& out,
                         std::initializer_list<std::filesystem::path> inputs);

/// Writes a document and a line break to `out`, or to standard output if that is "-". A file gets
/// its name only when it is whole (`scores.json` is written as `scores.part.json` first).
/// Errors: seesay::Error naming the file that cannot be written.
void write_json(const nlohmann::ordered_json& document, const std::filesystem::path& out);

/// What a command prints at its end: the table on standard output; with `json_out` also the
/// document there, and if that is "-" instead of the table. Empty is no JSON.
void report_scores(const metrics::CaptionScores& scores, const nlohmann::ordered_json& document,
                   const std::filesystem::path& json_out);

/// The same for a comparison; `documents` is a list.
void report_comparison(const std::vector<ComparedScores>& rows,
                       const nlohmann::ordered_json& documents,
                       const std::filesystem::path& json_out);

}  // namespace seesay::tools
