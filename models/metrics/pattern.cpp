// Builds patterns out of patterns.
#include "models/metrics/pattern.hpp"

#include <utility>

namespace seesay::metrics {
namespace {

CharacterSet either_case(char32_t character) {
    CharacterSet set{{character, character}};
    if (character >= U'a' && character <= U'z')
        set = set | CharacterSet{{character - 32, character - 32}};
    if (character >= U'A' && character <= U'Z')
        set = set | CharacterSet{{character + 32, character + 32}};
    return set;
}

Pattern repeat(const Pattern& part, int minimum, int maximum) {
    return Pattern::make({Pattern::Kind::kRepeat, {}, {part}, minimum, maximum});
}

}  // namespace

Pattern::Pattern(CharacterSet characters)
    : node_(std::make_shared<const Node>(Node{Kind::kCharacter, std::move(characters), {}, 0, 0})) {
}

Pattern Pattern::make(Node node) {
    return Pattern(std::make_shared<const Node>(std::move(node)));
}

Pattern text(std::u32string_view characters) {
    std::vector<Pattern> parts;
    parts.reserve(characters.size());
    for (const char32_t character : characters)
        parts.emplace_back(either_case(character));
    return Pattern::make({Pattern::Kind::kSequence, {}, std::move(parts), 0, 0});
}

Pattern any_text(std::initializer_list<std::u32string_view> texts) {
    std::vector<Pattern> parts;
    parts.reserve(texts.size());
    for (const std::u32string_view one : texts)
        parts.push_back(text(one));
    return Pattern::make({Pattern::Kind::kChoice, {}, std::move(parts), 0, 0});
}

Pattern any_of(std::u32string_view characters) {
    return CharacterSet::of(characters);
}

Pattern none_of(std::u32string_view characters) {
    return ~CharacterSet::of(characters);
}

Pattern operator>>(const Pattern& first, const Pattern& second) {
    return Pattern::make({Pattern::Kind::kSequence, {}, {first, second}, 0, 0});
}

Pattern operator|(const Pattern& one, const Pattern& other) {
    return Pattern::make({Pattern::Kind::kChoice, {}, {one, other}, 0, 0});
}

Pattern optional(const Pattern& part) {
    return repeat(part, 0, 1);
}
Pattern many(const Pattern& part) {
    return repeat(part, 0, Pattern::kUnlimited);
}
Pattern some(const Pattern& part) {
    return repeat(part, 1, Pattern::kUnlimited);
}
Pattern times(const Pattern& part, int minimum, int maximum) {
    return repeat(part, minimum, maximum);
}

}  // namespace seesay::metrics
