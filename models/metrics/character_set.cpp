// Union, complement and membership of ranges of code points.
#include "models/metrics/character_set.hpp"

#include <algorithm>

namespace seesay::metrics {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

}  // namespace

CharacterSet::CharacterSet(std::initializer_list<Range> ranges) : ranges_(ranges) {
    normalise();
}

CharacterSet::CharacterSet(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
    normalise();
}

CharacterSet CharacterSet::of(std::u32string_view characters) {
    std::vector<Range> ranges;
    ranges.reserve(characters.size());
    for (const char32_t character : characters)
        ranges.emplace_back(character, character);
    return CharacterSet(std::move(ranges));
}

CharacterSet CharacterSet::operator|(const CharacterSet& other) const {
    std::vector<Range> both = ranges_;
    both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
    return CharacterSet(std::move(both));
}

CharacterSet CharacterSet::operator~() const {
    std::vector<Range> gaps;
    char32_t next = 0;
    for (const auto& [first, last] : ranges_) {
        if (first > next) gaps.emplace_back(next, first - 1);
        next = last + 1;
    }
    if (next <= kLastCodePoint) gaps.emplace_back(next, kLastCodePoint);
    return CharacterSet(std::move(gaps));
}

bool CharacterSet::contains(char32_t character) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), character,
                         [](char32_t value, const Range& range) { return value < range.first; });
    return after != ranges_.begin() && character <= std::prev(after)->second;
}

void CharacterSet::normalise() {
    std::sort(ranges_.begin(), ranges_.end());
    std::vector<Range> merged;
    for (const Range& range : ranges_) {
        if (!merged.empty() && range.first <= merged.back().second + 1)
            merged.back().second = std::max(merged.back().second, range.second);
        else
            merged.push_back(range);
    }
    ranges_ = std::move(merged);
}

}  // namespace seesay::metrics
