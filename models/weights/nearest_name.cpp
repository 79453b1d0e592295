// Optimal string alignment distance over bytes.
#include "models/weights/nearest_name.hpp"

#include <algorithm>
#include <cctype>

namespace seesay::weights {
namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
            table[i][j] = std::min(
                {table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (equal ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(const std::string& name,
                                        const std::vector<std::string>& candidates) {
    std::optional<std::string> best;
    std::size_t best_distance = 0;
    if (name.size() > 256) {
        return best;
    }
    for (const std::string& candidate : candidates) {
        if (candidate.size() > 256) {
            continue;
        }
        const std::size_t steps = distance(name, candidate);
        const std::size_t allowed =
            std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
        if (steps <= allowed && (!best || steps < best_distance)) {
            best = candidate;
            best_distance = steps;
        }
    }
    return best;
}

}  // namespace seesay::weights
