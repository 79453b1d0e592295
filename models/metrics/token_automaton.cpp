// Compiles patterns to states, and runs them as a deterministic automaton that grows on demand.
#include "models/metrics/token_automaton.hpp"

#include <algorithm>
#include <utility>

namespace seesay::metrics {
namespace {

constexpr std::int32_t kUnknown = -2;
constexpr std::int32_t kDead = -1;
/// Texts in many scripts could meet ever new states; past this the automaton starts afresh.
constexpr std::size_t kMostStates = 20000;

}  // namespace

CompiledRules::CompiledRules(const std::vector<TokenRule>& rules) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::int32_t end = add({kNone, kNone, kNone, static_cast<std::int32_t>(i)});
        token_starts_.push_back(compile(rules[i].token, end));
        if (rules[i].context) {
            context_starts_.push_back(compile(*rules[i].context, end));
            starts_.push_back(compile(rules[i].token, context_starts_.back()));
        } else {
            context_starts_.push_back(kNone);
            starts_.push_back(token_starts_.back());
        }
    }
    number_characters();
}

std::int32_t CompiledRules::add(State state) {
    states_.push_back(state);
    return static_cast<std::int32_t>(states_.size() - 1);
}

std::int32_t CompiledRules::set_number(const CharacterSet& set) {
    const auto known = std::find(sets_.begin(), sets_.end(), set) - sets_.begin();
    if (static_cast<std::size_t>(known) == sets_.size()) sets_.push_back(set);
    return static_cast<std::int32_t>(known);
}

/// Adds states that read the pattern and then go on to `target`; gives the first of them.
std::int32_t CompiledRules::compile(const Pattern& pattern, std::int32_t target) {
    const Pattern::Node& node = pattern.node();
    switch (node.kind) {
        case Pattern::Kind::kCharacter:
            return add({set_number(node.characters), target, kNone, kNone});
        case Pattern::Kind::kSequence:
            for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part)
                target = compile(*part, target);
            return target;
        case Pattern::Kind::kChoice: {
            std::int32_t first = kNone;
            for (const Pattern& part : node.parts)
                first = add({kNone, compile(part, target), first, kNone});
            return first;
        }
        case Pattern::Kind::kRepeat:
            return compile_repeat(node, target);
    }
    return target;
}

std::int32_t CompiledRules::compile_repeat(const Pattern::Node& node, std::int32_t target) {
    const Pattern& part = node.parts.front();
    if (node.maximum == Pattern::kUnlimited) {
        const std::int32_t loop = add({kNone, target, kNone, kNone});
        const std::int32_t body = compile(part, loop);
        states_[static_cast<std::size_t>(loop)].other = body;
        target = loop;
    } else {
        const std::int32_t after = target;
        for (int i = node.minimum; i < node.maximum; ++i)
            target = add({kNone, compile(part, target), after, kNone});
    }
    for (int i = 0; i < node.minimum; ++i)
        target = compile(part, target);
    return target;
}

/// Splits the code points into classes whose members no set tells apart.
void CompiledRules::number_characters() {
    interval_starts_.push_back(0);
    for (const CharacterSet& set : sets_) {
        for (const auto& [first, last] : set.ranges()) {
            interval_starts_.push_back(first);
            interval_starts_.push_back(last + 1);
        }
    }
    std::sort(interval_starts_.begin(), interval_starts_.end());
    interval_starts_.erase(std::unique(interval_starts_.begin(), interval_starts_.end()),
                           interval_starts_.end());
    std::map<std::vector<bool>, std::uint16_t> classes;
    for (const char32_t start : interval_starts_) {
        std::vector<bool> members;
        members.reserve(sets_.size());
        for (const CharacterSet& set : sets_)
            members.push_back(set.contains(start));
        const auto next = static_cast<std::uint16_t>(classes.size());
        const auto [place, added] = classes.try_emplace(members, next);
        if (added) class_sets_.push_back(std::move(members));
        interval_classes_.push_back(place->second);
    }
}

std::uint16_t CompiledRules::character_class(char32_t character) const {
    const auto after =
        std::upper_bound(interval_starts_.begin(), interval_starts_.end(), character);
    return interval_classes_[static_cast<std::size_t>(after - interval_starts_.begin() - 1)];
}

TokenAutomaton::TokenAutomaton(const CompiledRules& rules) : rules_(rules) {
    forget();
}

void TokenAutomaton::forget() {
    numbers_.clear();
    states_.clear();
    StateSet members;
    for (const std::int32_t start : rules_.starts_)
        close(start, members);
    start_ = number_of(std::move(members));
}

/// Adds the states reached from `state` without reading; only those that read or accept matter.
void TokenAutomaton::close(std::int32_t state, StateSet& members) const {
    StateSet pending{state};
    StateSet passed;
    while (!pending.empty()) {
        const std::int32_t current = pending.back();
        pending.pop_back();
        if (current == CompiledRules::kNone) continue;
        const auto& details = rules_.states_[static_cast<std::size_t>(current)];
        if (details.set != CompiledRules::kNone || details.accepts != CompiledRules::kNone) {
            members.push_back(current);
            continue;
        }
        if (std::find(passed.begin(), passed.end(), current) != passed.end()) continue;
        passed.push_back(current);
        pending.push_back(details.next);
        pending.push_back(details.other);
    }
}

TokenAutomaton::StateSet TokenAutomaton::advance(const StateSet& members,
                                                 std::uint16_t character_class) const {
    const std::vector<bool>& sets = rules_.class_sets_[character_class];
    StateSet reached;
    for (const std::int32_t member : members) {
        const auto& details = rules_.states_[static_cast<std::size_t>(member)];
        if (details.set != CompiledRules::kNone && sets[static_cast<std::size_t>(details.set)])
            close(details.next, reached);
    }
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    return reached;
}

std::int32_t TokenAutomaton::number_of(StateSet members) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    const auto next = static_cast<std::int32_t>(states_.size());
    const auto [place, added] = numbers_.try_emplace(members, next);
    if (!added) return place->second;
    Deterministic state;
    for (const std::int32_t member : members) {
        const std::int32_t rule = rules_.states_[static_cast<std::size_t>(member)].accepts;
        if (rule != CompiledRules::kNone &&
            (state.accepts == CompiledRules::kNone || rule < state.accepts))
            state.accepts = rule;
    }
    state.members = std::move(members);
    state.next.assign(rules_.class_sets_.size(), kUnknown);
    states_.push_back(std::move(state));
    return next;
}

std::int32_t TokenAutomaton::step(std::int32_t from, std::uint16_t character_class) {
    const auto index = static_cast<std::size_t>(from);
    const std::int32_t known = states_[index].next[character_class];
    if (known != kUnknown) return known;
    StateSet reached = advance(states_[index].members, character_class);
    const std::int32_t next = reached.empty() ? kDead : number_of(std::move(reached));
    states_[index].next[character_class] = next;
    return next;
}

std::optional<TokenAutomaton::Match> TokenAutomaton::longest(std::u32string_view text,
                                                             std::size_t start) {
    if (states_.size() > kMostStates) forget();
    std::optional<Match> best;
    const std::size_t limit = std::min(text.size(), start + kLongest);
    std::int32_t state = start_;
    for (std::size_t i = start; i < limit; ++i) {
        state = step(state, rules_.character_class(text[i]));
        if (state == kDead) break;
        const std::int32_t rule = states_[static_cast<std::size_t>(state)].accepts;
        if (rule != CompiledRules::kNone) best = {static_cast<std::size_t>(rule), i + 1};
    }
    if (best && rules_.context_starts_[best->rule] != CompiledRules::kNone)
        best->end = token_end(best->rule, text, start, best->end);
    return best;
}

/// Where in [start, reach] the token of a rule with context ends: as late as its context allows.
std::size_t TokenAutomaton::token_end(std::size_t rule, std::u32string_view text, std::size_t start,
                                      std::size_t reach) const {
    const auto ends = accepted_ends(rules_.token_starts_[rule], text, start, reach);
    for (std::size_t end = reach; end > start; --end) {
        if (!ends[end - start]) continue;
        if (accepted_ends(rules_.context_starts_[rule], text, end, reach).back()) return end;
    }
    return reach;
}

/// For each place from `start` to `end`, whether what starts at `from` may be complete there.
std::vector<bool> TokenAutomaton::accepted_ends(std::int32_t from, std::u32string_view text,
                                                std::size_t start, std::size_t end) const {
    std::vector<bool> accepted(end - start + 1, false);
    StateSet members;
    close(from, members);
    for (std::size_t i = start;; ++i) {
        for (const std::int32_t member : members)
            if (rules_.states_[static_cast<std::size_t>(member)].accepts != CompiledRules::kNone)
                accepted[i - start] = true;
        if (i == end || members.empty()) return accepted;
        members = advance(members, rules_.character_class(text[i]));
    }
}

}  // namespace seesay::metrics
