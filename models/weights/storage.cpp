// PyTorch's names for element types, and its persistent ids.
#include "models/weights/storage.hpp"

#include <array>
#include <utility>

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

template <std::size_t Count>
std::optional<DataType> look_up(
    const std::array<std::pair<std::string_view, DataType>, Count>& names, std::string_view name) {
    for (const auto& [known, type] : names) {
        if (known == name) {
            return type;
        }
    }
    return std::nullopt;
}

std::uint64_t count_of(const PickleValue& value, const std::string& origin) {
    if (!value.is(Kind::Integer) || value.integer < 0) {
        throw Error(origin + ": a storage's size is not a count; the file is damaged");
    }
    return static_cast<std::uint64_t>(value.integer);
}

/// A key is a string of digits; the first files had numbers.
std::string key_of(const PickleValue& value, const std::string& origin) {
    if (value.is(Kind::String)) {
        return value.text;
    }
    if (value.is(Kind::Integer)) {
        return std::to_string(value.integer);
    }
    throw Error(origin + ": a storage has no key; the file is damaged");
}

}  // namespace

std::optional<DataType> storage_type(std::string_view global) {
    static constexpr std::array<std::pair<std::string_view, DataType>, 10> names{{
        {"torch FloatStorage", DataType::F32},
        {"torch DoubleStorage", DataType::F64},
        {"torch HalfStorage", DataType::F16},
        {"torch BFloat16Storage", DataType::BF16},
        {"torch LongStorage", DataType::I64},
        {"torch IntStorage", DataType::I32},
        {"torch ShortStorage", DataType::I16},
        {"torch CharStorage", DataType::I8},
        {"torch ByteStorage", DataType::U8},
        {"torch BoolStorage", DataType::Bool},
    }};
    if (global.starts_with("torch.cuda ")) {  // files of the first versions name the device's class
        return look_up(names, "torch " + std::string(global.substr(11)));
    }
    return look_up(names, global);
}

std::optional<DataType> tensor_type(std::string_view global) {
    static constexpr std::array<std::pair<std::string_view, DataType>, 10> names{{
        {"torch float32", DataType::F32},
        {"torch float64", DataType::F64},
        {"torch float16", DataType::F16},
        {"torch bfloat16", DataType::BF16},
        {"torch int64", DataType::I64},
        {"torch int32", DataType::I32},
        {"torch int16", DataType::I16},
        {"torch int8", DataType::I8},
        {"torch uint8", DataType::U8},
        {"torch bool", DataType::Bool},
    }};
    return look_up(names, global);
}

StorageReference storage_reference(const PickleValue& persistent, const std::string& origin) {
    const PickleValue* id = persistent.is(Kind::Persistent) && !persistent.items.empty()
                                ? persistent.items[0]
                                : nullptr;
    if (id == nullptr || !id->is(Kind::Tuple) || id->items.size() < 5 ||
        !id->items[0]->is(Kind::String) || id->items[0]->text != "storage" ||
        !id->items[1]->is(Kind::Global)) {
        throw Error(origin + ": a tensor refers to no storage; the file is damaged");
    }
    StorageReference reference;
    const std::string& type = id->items[1]->text;
    reference.type = storage_type(type);
    if (!reference.type && type != "torch.storage UntypedStorage") {
        throw Error(origin + ": element type " + printable(type) + " is not supported");
    }
    reference.key = key_of(*id->items[2], origin);
    reference.count = count_of(*id->items[4], origin);
    reference.view_count = reference.count;
    const PickleValue* view = id->items.size() > 5 ? id->items[5] : nullptr;
    if (view != nullptr && view->is(Kind::Tuple) && view->items.size() == 3) {
        reference.view_offset = count_of(*view->items[1], origin);
        reference.view_count = count_of(*view->items[2], origin);
    }
    if (reference.view_offset > reference.count ||
        reference.view_count > reference.count - reference.view_offset) {
        throw Error(origin + ": a view lies outside its storage; the file is damaged");
    }
    return reference;
}

}  // namespace seesay::weights
