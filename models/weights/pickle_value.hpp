// What a pickle builds, as plain data: no class of it is ever looked up and no function of it is
// ever called.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace seesay::weights {

/// One Python object. Values refer to each other by pointer, may be shared and may form cycles; the
/// PickleTree owns them. Walkers have to bound their own depth.
struct PickleValue {
    enum class Kind {
        None,
        Bool,        ///< `integer`
        Integer,     ///< `integer`
        BigInteger,  ///< more than 64 bits; `text` is the two's complement, little-endian, without
                     ///< padding
        Float,       ///< `real`
        String,      ///< `text`, UTF-8 (Python 2 strings: bytes as they were)
        Bytes,       ///< `text`
        List,        ///< `items`
        Tuple,       ///< `items`
        Set,         ///< `items`
        Dict,        ///< `entries`; also OrderedDict, defaultdict, Counter (then `type` is set)
        Global,      ///< a class or function: `text` is "module name"
        Object,      ///< inert: `type` was called with `items`; then `state`, `appended`, `entries`
        Persistent,  ///< refers to data outside the pickle: `items[0]` is the id
    };

    Kind kind = Kind::None;
    std::int64_t integer = 0;
    double real = 0.0;
    std::string text;
    std::vector<PickleValue*> items;
    std::vector<PickleValue*> appended;
    std::vector<std::pair<PickleValue*, PickleValue*>> entries;
    PickleValue* type = nullptr;
    PickleValue* state = nullptr;

    [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
    /// Whether this is the class or function `name`, written "module name".
    [[nodiscard]] bool is_global(std::string_view name) const {
        return kind == Kind::Global && text == name;
    }
    /// The value under a string key of `entries`, the last one if it was set several times; null if
    /// there is none.
    [[nodiscard]] const PickleValue* find(std::string_view key) const;
};

/// Owns the values of one or several pickles.
class PickleTree {
 public:
    PickleTree() = default;
    PickleTree(const PickleTree&) = delete;
    PickleTree& operator=(const PickleTree&) = delete;

    /// A new value that lives as long as the tree.
    PickleValue& add(PickleValue::Kind kind) {
        values_.emplace_back();
        values_.back().kind = kind;
        return values_.back();
    }
    [[nodiscard]] const std::deque<PickleValue>& values() const { return values_; }

 private:
    std::deque<PickleValue> values_;
};

}  // namespace seesay::weights
