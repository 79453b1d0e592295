// Every access is checked against the innermost mark.
#include "models/weights/pickle_stack.hpp"

#include <string>

namespace seesay::weights {

void PickleStack::push(PickleValue& value) {
    if (values_.size() >= limit_) {
        input_.fail("its stack grows beyond " + std::to_string(limit_));
    }
    values_.push_back(&value);
}

PickleValue* PickleStack::pop() {
    PickleValue* value = &top();
    values_.pop_back();
    return value;
}

PickleValue& PickleStack::top() {
    if (values_.size() <= floor()) {
        input_.fail("its stack is empty where a value is needed");
    }
    return *values_.back();
}

void PickleStack::mark() {
    if (marks_.size() >= limit_) {
        input_.fail("too many marks");
    }
    marks_.push_back(values_.size());
}

std::vector<PickleValue*> PickleStack::pop_to_mark() {
    if (marks_.empty()) {
        input_.fail("a mark is missing");
    }
    const auto start = values_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleValue*> values(start, values_.end());
    values_.erase(start, values_.end());
    marks_.pop_back();
    return values;
}

void PickleStack::discard() {
    if (!marks_.empty() && values_.size() == marks_.back()) {
        marks_.pop_back();
    } else {
        (void)pop();
    }
}

PickleValue& PickleStack::get(std::uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) {
        input_.fail("refers to memo entry " + std::to_string(index) + ", which is not set");
    }
    return *found->second;
}

}  // namespace seesay::weights
