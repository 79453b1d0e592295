// Regular patterns put together in code, with which a grammar says what its tokens look like.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "models/metrics/character_set.hpp"

namespace seesay::metrics {

/// Immutable; copies share their parts.
class Pattern {
 public:
    enum class Kind { kCharacter, kSequence, kChoice, kRepeat };

    struct Node {
        Kind kind = Kind::kSequence;
        CharacterSet characters;     ///< kCharacter: one of these
        std::vector<Pattern> parts;  ///< kSequence, kChoice; kRepeat has one
        int minimum = 0;             ///< kRepeat
        int maximum = 0;             ///< kRepeat; kUnlimited for no limit
    };
    static constexpr int kUnlimited = -1;

    Pattern(CharacterSet characters);  // NOLINT(google-explicit-constructor): reads as a set

    const Node& node() const { return *node_; }

    static Pattern make(Node node);

 private:
    explicit Pattern(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

    std::shared_ptr<const Node> node_;
};

/// This text in any mixture of upper and lower case (ASCII).
Pattern text(std::u32string_view characters);

/// Any of these texts, in any case.
Pattern any_text(std::initializer_list<std::u32string_view> texts);

/// One of these characters, in this case.
Pattern any_of(std::u32string_view characters);

/// One character, none of these.
Pattern none_of(std::u32string_view characters);

/// One behind the other.
Pattern operator>>(const Pattern& first, const Pattern& second);

/// Either.
Pattern operator|(const Pattern& one, const Pattern& other);

Pattern optional(const Pattern& part);  ///< once or not at all
Pattern many(const Pattern& part);      ///< any number of times, also none
Pattern some(const Pattern& part);      ///< at least once
Pattern times(const Pattern& part, int minimum, int maximum);

}  // namespace seesay::metrics
