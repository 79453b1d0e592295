// PickleStack: the stack, marks and memo of the pickle machine.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/weights/pickle_input.hpp"
#include "models/weights/pickle_value.hpp"

namespace seesay::weights {

/// What lies above the innermost mark belongs to it; below it nothing can be taken. Misuse throws
/// through `input`.
class PickleStack {
 public:
    PickleStack(const PickleInput& input, std::size_t limit) : input_(input), limit_(limit) {}

    void push(PickleValue& value);
    PickleValue* pop();
    PickleValue& top();
    void mark();
    /// Everything above the innermost mark, which goes too.
    std::vector<PickleValue*> pop_to_mark();
    /// Opcode POP: the top value, or the innermost mark where that is on top.
    void discard();

    void put(std::uint64_t index) { memo_[index] = &top(); }
    void put_next() { put(memo_.size()); }
    PickleValue& get(std::uint64_t index);

 private:
    [[nodiscard]] std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

    const PickleInput& input_;
    std::size_t limit_;
    std::vector<PickleValue*> values_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint64_t, PickleValue*> memo_;
};

}  // namespace seesay::weights
