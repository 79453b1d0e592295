// The pickle machine: a stack, a memo, and one case per opcode.
#include "models/weights/pickle.hpp"

#include <vector>

#include "models/weights/pickle_calls.hpp"
#include "models/weights/pickle_input.hpp"
#include "models/weights/pickle_stack.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

class PickleMachine {
 public:
    PickleMachine(std::span<const std::byte> bytes, PickleTree& tree, const std::string& origin,
                  const PickleLimits& limits)
        : input_(bytes, origin), tree_(tree), limits_(limits), stack_(input_, limits.stack) {}

    PickleResult run() {
        while (true) {
            const std::uint8_t opcode = input_.byte();
            if (opcode == '.') {
                return {stack_.pop(), input_.position()};
            }
            if (!scalar(opcode) && !text(opcode) && !container(opcode) && !reference(opcode) &&
                !call(opcode)) {
                input_.fail("opcode " + std::to_string(opcode) + " is not known or not supported");
            }
        }
    }

 private:
    PickleValue& make(Kind kind) {
        if (tree_.values().size() >= limits_.values) {
            input_.fail("holds more than " + std::to_string(limits_.values) + " objects");
        }
        return tree_.add(kind);
    }

    PickleValue& push_new(Kind kind) {
        PickleValue& value = make(kind);
        stack_.push(value);
        return value;
    }

    std::string string(std::uint64_t length) {
        if (length > limits_.string_bytes) {
            input_.fail("a string of " + std::to_string(length) + " bytes");
        }
        return std::string(input_.take(length));
    }

    void push_text(Kind kind, std::string value) { push_new(kind).text = std::move(value); }

    void push_integer(std::int64_t value) { push_new(Kind::Integer).integer = value; }

    /// Two's complement, little-endian.
    void push_long(std::string bytes) {
        const char sign = !bytes.empty() && (bytes.back() & 0x80) != 0 ? '\xFF' : '\0';
        while (bytes.size() > 1 && bytes.back() == sign &&
               ((bytes[bytes.size() - 2] ^ sign) & 0x80) == 0) {
            bytes.pop_back();
        }
        if (bytes.size() > 8) {
            push_text(Kind::BigInteger, std::move(bytes));
            return;
        }
        std::uint64_t value = sign == '\0' ? 0 : ~std::uint64_t{0};
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            value &= ~(std::uint64_t{0xFF} << (8 * i));
            value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
        }
        push_integer(static_cast<std::int64_t>(value));
    }

    bool scalar(std::uint8_t opcode) {
        switch (opcode) {
            case 'N':
                push_new(Kind::None);
                return true;
            case 0x88:  // NEWTRUE
            case 0x89:  // NEWFALSE
                push_new(Kind::Bool).integer = opcode == 0x88 ? 1 : 0;
                return true;
            case 'K':
                push_integer(input_.byte());
                return true;
            case 'M':
                push_integer(static_cast<std::int64_t>(input_.integer(2)));
                return true;
            case 'J':
                push_integer(static_cast<std::int32_t>(input_.integer(4)));
                return true;
            case 0x8A:  // LONG1
                push_long(string(input_.byte()));
                return true;
            case 0x8B:  // LONG4
                push_long(string(input_.integer(4)));
                return true;
            case 'G':
                push_new(Kind::Float).real = input_.real();
                return true;
            case 'F':
                push_new(Kind::Float).real = parse_real(input_.line(), input_);
                return true;
            case 'L':
                push_long(parse_long(input_.line(), input_));
                return true;
            case 'I': {
                const std::string_view digits = input_.line();
                if (digits == "00" || digits == "01") {
                    push_new(Kind::Bool).integer = digits == "01" ? 1 : 0;
                } else {
                    push_long(parse_long(digits, input_));
                }
                return true;
            }
            default:
                return false;
        }
    }

    bool text(std::uint8_t opcode) {
        switch (opcode) {
            case 'X':  // BINUNICODE
                push_text(Kind::String, string(input_.integer(4)));
                return true;
            case 0x8C:  // SHORT_BINUNICODE
                push_text(Kind::String, string(input_.byte()));
                return true;
            case 0x8D:  // BINUNICODE8
                push_text(Kind::String, string(input_.integer(8)));
                return true;
            case 'V':
                push_text(Kind::String, parse_raw_unicode(input_.line(), input_));
                return true;
            case 'S':
                push_text(Kind::String, parse_quoted(input_.line(), input_));
                return true;
            case 'T':  // BINSTRING
                push_text(Kind::String, string(input_.integer(4)));
                return true;
            case 'U':  // SHORT_BINSTRING
                push_text(Kind::String, string(input_.byte()));
                return true;
            case 'B':  // BINBYTES
                push_text(Kind::Bytes, string(input_.integer(4)));
                return true;
            case 'C':  // SHORT_BINBYTES
                push_text(Kind::Bytes, string(input_.byte()));
                return true;
            case 0x8E:  // BINBYTES8
            case 0x96:  // BYTEARRAY8
                push_text(Kind::Bytes, string(input_.integer(8)));
                return true;
            default:
                return false;
        }
    }

    void append(PickleValue& target, const std::vector<PickleValue*>& values) {
        const bool plain = target.is(Kind::List) || target.is(Kind::Set);
        if (!plain && !target.is(Kind::Object)) {
            input_.fail("appends to something that is no list");
        }
        auto& list = plain ? target.items : target.appended;
        list.insert(list.end(), values.begin(), values.end());
    }

    void set_items(PickleValue& target, const std::vector<PickleValue*>& values) {
        if (values.size() % 2 != 0) {
            input_.fail("a dictionary has a key without a value");
        }
        if (!target.is(Kind::Dict) && !target.is(Kind::Object)) {
            input_.fail("sets a key of something that is no dictionary");
        }
        for (std::size_t i = 0; i < values.size(); i += 2) {
            target.entries.emplace_back(values[i], values[i + 1]);
        }
    }

    void push_tuple(std::size_t count) {
        std::vector<PickleValue*> items(count);
        for (std::size_t i = count; i > 0; --i) {
            items[i - 1] = stack_.pop();
        }
        push_new(Kind::Tuple).items = std::move(items);
    }

    bool container(std::uint8_t opcode) {
        switch (opcode) {
            case '(':
                stack_.mark();
                return true;
            case '}':
                push_new(Kind::Dict);
                return true;
            case ']':
                push_new(Kind::List);
                return true;
            case ')':
                push_new(Kind::Tuple);
                return true;
            case 0x8F:  // EMPTY_SET
                push_new(Kind::Set);
                return true;
            case 'd': {
                const auto values = stack_.pop_to_mark();
                set_items(push_new(Kind::Dict), values);
                return true;
            }
            case 'l':
            case 't':
            case 0x91: {  // FROZENSET
                auto values = stack_.pop_to_mark();
                push_new(opcode == 'l'   ? Kind::List
                         : opcode == 't' ? Kind::Tuple
                                         : Kind::Set)
                    .items = std::move(values);
                return true;
            }
            case 0x85:  // TUPLE1
            case 0x86:
            case 0x87:
                push_tuple(opcode - std::size_t{0x84});
                return true;
            case 'a': {
                PickleValue* value = stack_.pop();
                append(stack_.top(), {value});
                return true;
            }
            case 'e':
            case 0x90: {  // ADDITEMS
                const auto values = stack_.pop_to_mark();
                append(stack_.top(), values);
                return true;
            }
            case 's': {
                PickleValue* value = stack_.pop();
                PickleValue* key = stack_.pop();
                set_items(stack_.top(), {key, value});
                return true;
            }
            case 'u': {
                const auto values = stack_.pop_to_mark();
                set_items(stack_.top(), values);
                return true;
            }
            default:
                return false;
        }
    }

    std::uint64_t memo_index() {
        return static_cast<std::uint64_t>(parse_decimal(input_.line(), input_));
    }

    bool reference(std::uint8_t opcode) {
        switch (opcode) {
            case 0x80:  // PROTO
                if (input_.byte() > 5) {
                    input_.fail("protocol version is newer than 5");
                }
                return true;
            case 0x95:  // FRAME: a hint for buffering
                (void)input_.integer(8);
                return true;
            case 'p':
                stack_.put(memo_index());
                return true;
            case 'q':
                stack_.put(input_.byte());
                return true;
            case 'r':
                stack_.put(input_.integer(4));
                return true;
            case 0x94:  // MEMOIZE
                stack_.put_next();
                return true;
            case 'g':
                stack_.push(stack_.get(memo_index()));
                return true;
            case 'h':
                stack_.push(stack_.get(input_.byte()));
                return true;
            case 'j':
                stack_.push(stack_.get(input_.integer(4)));
                return true;
            case '0':  // POP; on a bare mark it removes that
                stack_.discard();
                return true;
            case '1':  // POP_MARK
                (void)stack_.pop_to_mark();
                return true;
            case '2':  // DUP
                stack_.push(stack_.top());
                return true;
            default:
                return false;
        }
    }

    /// Values are shared by reference, but some calls copy what they are given: a small file must
    /// not make that grow without bound.
    void charge(std::size_t bytes) {
        copied_ += bytes;
        if (copied_ > limits_.copied_bytes) {
            input_.fail("repeats more content than it holds");
        }
    }

    void push_global(std::string_view module, std::string_view name) {
        charge(module.size() + name.size());
        push_text(Kind::Global, std::string(module) + " " + std::string(name));
    }

    void push_call(PickleValue* callable, std::vector<PickleValue*> arguments) {
        for (const PickleValue* argument : arguments) {
            charge(argument->items.size() * sizeof(void*) + argument->text.size() +
                   argument->entries.size() * 2 * sizeof(void*));
        }
        PickleValue& result = make(Kind::Object);
        result.type = callable;
        result.items = std::move(arguments);
        shape_known_call(result, input_);
        stack_.push(result);
    }

    void push_persistent(PickleValue* id) { push_new(Kind::Persistent).items = {id}; }

    std::vector<PickleValue*> tuple_items(const PickleValue* value) {
        if (!value->is(Kind::Tuple)) {
            input_.fail("a call's arguments are no tuple");
        }
        charge(value->items.size() * sizeof(void*));
        return value->items;
    }

    bool call(std::uint8_t opcode) {
        switch (opcode) {
            case 'c': {
                const std::string_view module = input_.line();
                push_global(module, input_.line());
                return true;
            }
            case 0x93: {  // STACK_GLOBAL
                const PickleValue* name = stack_.pop();
                const PickleValue* module = stack_.pop();
                if (!name->is(Kind::String) || !module->is(Kind::String)) {
                    input_.fail("a class name is no string");
                }
                push_global(module->text, name->text);
                return true;
            }
            case 'R':     // REDUCE
            case 0x81: {  // NEWOBJ
                const PickleValue* arguments = stack_.pop();
                PickleValue* callable = stack_.pop();
                push_call(callable, tuple_items(arguments));
                return true;
            }
            case 0x92: {  // NEWOBJ_EX: keyword arguments become one more argument
                PickleValue* keywords = stack_.pop();
                auto arguments = tuple_items(stack_.pop());
                arguments.push_back(keywords);
                push_call(stack_.pop(), std::move(arguments));
                return true;
            }
            case 'i': {  // INST
                const std::string_view module = input_.line();
                push_global(module, input_.line());
                PickleValue* callable = stack_.pop();
                push_call(callable, stack_.pop_to_mark());
                return true;
            }
            case 'o': {  // OBJ
                auto values = stack_.pop_to_mark();
                if (values.empty()) {
                    input_.fail("an object has no class");
                }
                PickleValue* callable = values.front();
                values.erase(values.begin());
                push_call(callable, std::move(values));
                return true;
            }
            case 'b': {  // BUILD
                PickleValue* state = stack_.pop();
                stack_.top().state = state;
                return true;
            }
            case 'P': {
                PickleValue& id = make(Kind::String);
                id.text = std::string(input_.line());
                push_persistent(&id);
                return true;
            }
            case 'Q':
                push_persistent(stack_.pop());
                return true;
            default:
                return false;
        }
    }

    PickleInput input_;
    PickleTree& tree_;
    PickleLimits limits_;
    PickleStack stack_;
    std::size_t copied_ = 0;
};

}  // namespace

const PickleValue* PickleValue::find(std::string_view key) const {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        if (entry->first->is(Kind::String) && entry->first->text == key) {
            return entry->second;
        }
    }
    return nullptr;
}

PickleResult read_pickle(std::span<const std::byte> bytes, PickleTree& tree,
                         const std::string& origin, const PickleLimits& limits) {
    return PickleMachine(bytes, tree, origin, limits).run();
}

}  // namespace seesay::weights
