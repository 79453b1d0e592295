// Sets of Unicode code points, as ranges.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace seesay::metrics {

class CharacterSet {
 public:
    using Range = std::pair<char32_t, char32_t>;  ///< first and last

    CharacterSet() = default;
    CharacterSet(std::initializer_list<Range> ranges);
    explicit CharacterSet(std::vector<Range> ranges);

    /// The characters of a text.
    static CharacterSet of(std::u32string_view characters);

    CharacterSet operator|(const CharacterSet& other) const;
    CharacterSet operator~() const;

    bool contains(char32_t character) const;
    const std::vector<Range>& ranges() const { return ranges_; }
    bool operator==(const CharacterSet& other) const = default;

 private:
    void normalise();

    std::vector<Range> ranges_;  ///< ascending, neither touching nor overlapping
};

}  // namespace seesay::metrics
