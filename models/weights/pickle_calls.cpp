// Python's standard containers, by name. Nothing is called: the shape of the arguments decides.
#include "models/weights/pickle_calls.hpp"

#include <algorithm>
#include <array>

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

/// `name` without "builtins " or Python 2's "__builtin__ "; empty if it is neither.
std::string_view builtin(std::string_view name) {
    for (const std::string_view module : {"builtins ", "__builtin__ "}) {
        if (name.starts_with(module)) {
            return name.substr(module.size());
        }
    }
    return {};
}

bool is_sequence(const PickleValue& value) {
    return value.is(Kind::List) || value.is(Kind::Tuple) || value.is(Kind::Set);
}

/// Python 2 wrote OrderedDict([[key, value], …]).
bool take_pairs(PickleValue& call, const PickleValue& pairs) {
    std::vector<std::pair<PickleValue*, PickleValue*>> entries;
    for (const PickleValue* pair : pairs.items) {
        if (!is_sequence(*pair) || pair->items.size() != 2) {
            return false;
        }
        entries.emplace_back(pair->items[0], pair->items[1]);
    }
    call.entries = std::move(entries);
    return true;
}

/// `keep_arguments`: a defaultdict's factory is an argument but no content.
void become_dict(PickleValue& call, bool keep_arguments) {
    if (!keep_arguments && call.items.size() == 1) {
        const PickleValue& content = *call.items[0];
        if (content.is(Kind::Dict)) {
            call.entries = content.entries;
        } else if (!is_sequence(content) || !take_pairs(call, content)) {
            return;
        }
    } else if (!keep_arguments && !call.items.empty()) {
        return;
    }
    call.items.clear();
    call.kind = Kind::Dict;
}

void become_sequence(PickleValue& call, Kind kind) {
    if (call.items.size() > 1 || (call.items.size() == 1 && !is_sequence(*call.items[0]))) {
        return;
    }
    std::vector<PickleValue*> content;
    if (!call.items.empty()) {
        content = call.items[0]->items;
    }
    call.items = std::move(content);
    call.kind = kind;
}

/// _codecs.encode(text, "latin1"), how protocol 2 spells bytes.
void become_bytes(PickleValue& call, const PickleInput& input) {
    if (call.items.size() == 2 && call.items[0]->is(Kind::String) &&
        call.items[1]->is(Kind::String) &&
        (call.items[1]->text == "latin1" || call.items[1]->text == "latin-1")) {
        call.text = latin1_bytes(call.items[0]->text, input);
        call.items.clear();
        call.kind = Kind::Bytes;
    }
}

/// copyreg._reconstructor(class, base, state): an object of that class.
void become_object_of(PickleValue& call) {
    if (call.items.size() == 3) {
        call.type = call.items[0];
        call.items = {call.items[2]};
    }
}

}  // namespace

void shape_known_call(PickleValue& call, const PickleInput& input) {
    if (call.type == nullptr || !call.type->is(Kind::Global)) {
        return;
    }
    const std::string& name = call.type->text;
    const std::string_view simple = builtin(name);
    if (name == "collections OrderedDict" || name == "collections Counter" || simple == "dict") {
        become_dict(call, false);
    } else if (name == "collections defaultdict") {
        become_dict(call, true);
    } else if (simple == "set" || simple == "frozenset") {
        become_sequence(call, Kind::Set);
    } else if (simple == "list") {
        become_sequence(call, Kind::List);
    } else if (simple == "tuple") {
        become_sequence(call, Kind::Tuple);
    } else if (name == "_codecs encode") {
        become_bytes(call, input);
    } else if ((simple == "bytes" || simple == "bytearray") && call.items.empty()) {
        call.kind = Kind::Bytes;
    } else if (name == "copyreg _reconstructor" || name == "copy_reg _reconstructor") {
        become_object_of(call);
    }
}

bool is_known_global(std::string_view name) {
    static constexpr std::array<std::string_view, 23> known{
        "collections OrderedDict",
        "collections defaultdict",
        "collections Counter",
        "_codecs encode",
        "copyreg _reconstructor",
        "copy_reg _reconstructor",
        "argparse Namespace",
        "torch Size",
        "torch device",
        "torch Tensor",
        "torch._utils _rebuild_tensor",
        "torch._utils _rebuild_tensor_v2",
        "torch._utils _rebuild_tensor_v3",
        "torch._utils _rebuild_parameter",
        "torch.nn.parameter Parameter",
        "torch.storage UntypedStorage",
        "torch.storage TypedStorage",
        "numpy ndarray",
        "numpy dtype",
        "numpy.core.multiarray _reconstruct",
        "numpy.core.multiarray scalar",
        "numpy._core.multiarray _reconstruct",
        "numpy._core.multiarray scalar",
    };
    static constexpr std::array<std::string_view, 13> builtins{
        "set",   "frozenset", "list", "dict", "tuple",  "slice",  "long",
        "bytes", "bytearray", "int",  "str",  "object", "complex"};
    // torch.float32 and its like, and the typed storages.
    if (name.starts_with("torch ")) {
        const std::string_view rest = name.substr(6);
        if (rest.ends_with("Storage") || rest.starts_with("float") || rest.starts_with("int") ||
            rest.starts_with("uint") || rest == "bool" || rest == "bfloat16") {
            return true;
        }
    }
    return std::find(known.begin(), known.end(), name) != known.end() ||
           std::find(builtins.begin(), builtins.end(), builtin(name)) != builtins.end();
}

}  // namespace seesay::weights
