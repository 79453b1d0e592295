// Finds the longest token at a place in a text: rules compiled to an automaton that is made
// deterministic step by step, as texts need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "models/metrics/pattern.hpp"

namespace seesay::metrics {

/// A class of tokens. The context must follow the token and counts for its length when rules
/// compete, but is not part of it.
struct TokenRule {
    Pattern token;
    std::optional<Pattern> context = std::nullopt;
};

/// Rules in their compiled form; immutable. The earlier of two rules that match equally far wins.
class CompiledRules {
 public:
    explicit CompiledRules(const std::vector<TokenRule>& rules);

 private:
    friend class TokenAutomaton;

    static constexpr std::int32_t kNone = -1;

    /// Thompson's construction: a state either reads a character or leads on without reading.
    struct State {
        std::int32_t set = kNone;  ///< reads a character of this set and goes to `next`
        std::int32_t next = kNone;
        std::int32_t other = kNone;    ///< where set is kNone: goes to `next` and `other`
        std::int32_t accepts = kNone;  ///< a rule is complete here
    };

    std::int32_t add(State state);
    std::int32_t set_number(const CharacterSet& set);
    std::int32_t compile(const Pattern& pattern, std::int32_t target);
    std::int32_t compile_repeat(const Pattern::Node& node, std::int32_t target);
    void number_characters();

    std::uint16_t character_class(char32_t character) const;

    std::vector<State> states_;
    std::vector<std::int32_t> token_starts_;    ///< of each rule, the token alone
    std::vector<std::int32_t> context_starts_;  ///< of each rule, the context alone; kNone without
    std::vector<std::int32_t> starts_;          ///< of each rule, token and context
    std::vector<CharacterSet> sets_;
    std::vector<char32_t> interval_starts_;        ///< ascending from 0
    std::vector<std::uint16_t> interval_classes_;  ///< characters of one class belong to equal sets
    std::vector<std::vector<bool>> class_sets_;    ///< by class: which sets contain it
};

/// Runs compiled rules. Remembers the deterministic states it met, so an object belongs to one
/// thread at a time; the rules, which must outlive it, may be shared.
class TokenAutomaton {
 public:
    /// A token of this rule reaches from where the search started to `end`.
    struct Match {
        std::size_t rule = 0;
        std::size_t end = 0;
    };

    explicit TokenAutomaton(const CompiledRules& rules);

    /// The token that, with its context, reaches furthest. Looks at most `kLongest` characters far.
    std::optional<Match> longest(std::u32string_view text, std::size_t start);

    static constexpr std::size_t kLongest = 4096;

 private:
    using StateSet = std::vector<std::int32_t>;

    struct Deterministic {
        StateSet members;
        std::int32_t accepts = CompiledRules::kNone;
        std::vector<std::int32_t> next;  ///< by character class; kUnknown until needed
    };

    void forget();
    std::int32_t number_of(StateSet members);
    std::int32_t step(std::int32_t from, std::uint16_t character_class);
    void close(std::int32_t state, StateSet& members) const;
    StateSet advance(const StateSet& members, std::uint16_t character_class) const;
    std::size_t token_end(std::size_t rule, std::u32string_view text, std::size_t start,
                          std::size_t reach) const;
    std::vector<bool> accepted_ends(std::int32_t from, std::u32string_view text, std::size_t start,
                                    std::size_t end) const;

    const CompiledRules& rules_;
    std::map<StateSet, std::int32_t> numbers_;
    std::vector<Deterministic> states_;
    std::int32_t start_ = 0;
};

}  // namespace seesay::metrics
