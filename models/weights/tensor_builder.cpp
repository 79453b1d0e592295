// Views of storages: offsets and strides checked, then sliced or copied.
#include <cstring>

#include "models/error.hpp"
#include "models/weights/checkpoint_tensors.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t maximum_dimensions = 16;

/// Row-major strides of `shape`, in elements.
std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i > 0; --i) {
        strides[i - 1] = step;
        step *= shape[i - 1];
    }
    return strides;
}

bool is_dense(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    const std::vector<std::int64_t> dense = dense_strides(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != 1 && strides[i] != dense[i]) {
            return false;
        }
    }
    return true;
}

/// NumPy's "f4" and so on.
std::optional<DataType> numpy_type(std::string_view code) {
    if (code == "f4") {
        return DataType::F32;
    }
    if (code == "f8") {
        return DataType::F64;
    }
    if (code == "f2") {
        return DataType::F16;
    }
    if (code == "i8") {
        return DataType::I64;
    }
    if (code == "i4") {
        return DataType::I32;
    }
    if (code == "i2") {
        return DataType::I16;
    }
    if (code == "i1") {
        return DataType::I8;
    }
    if (code == "u1") {
        return DataType::U8;
    }
    if (code == "b1") {
        return DataType::Bool;
    }
    return std::nullopt;
}

/// The element type of a pickled numpy.dtype, if it is a little-endian one that is known here.
std::optional<DataType> type_of_dtype(const PickleValue& dtype) {
    if (!dtype.is(Kind::Object) || !dtype.type->is_global("numpy dtype") || dtype.items.empty() ||
        !dtype.items[0]->is(Kind::String)) {
        return std::nullopt;
    }
    const PickleValue* state = dtype.state;
    const bool big_endian = state != nullptr && state->is(Kind::Tuple) && state->items.size() > 1 &&
                            state->items[1]->text == ">";
    return big_endian ? std::nullopt : numpy_type(dtype.items[0]->text);
}

}  // namespace

void TensorBuilder::fail(const std::string& tensor, const std::string& what) const {
    throw Error(origin_ + ": tensor " + printable(tensor) + ": " + what);
}

std::optional<NamedTensor> TensorBuilder::build(const PickleValue& value, const std::string& name) {
    const PickleValue* current = &value;
    // A parameter wraps a tensor; nested wrapping has no meaning, so a few steps suffice.
    for (int depth = 0; depth < 4; ++depth) {
        if (!current->is(Kind::Object) || !current->type->is(Kind::Global)) {
            return std::nullopt;
        }
        const std::string& type = current->type->text;
        if (type == "torch._utils _rebuild_tensor" || type == "torch._utils _rebuild_tensor_v2" ||
            type == "torch._utils _rebuild_tensor_v3") {
            return rebuild(*current, name);
        }
        if (type == "numpy.core.multiarray _reconstruct" ||
            type == "numpy._core.multiarray _reconstruct") {
            return numpy_array(*current, name);
        }
        const bool wrapper = type.starts_with("torch._utils _rebuild_parameter") ||
                             type == "torch.nn.parameter Parameter";
        if (!wrapper || current->items.empty()) {
            return std::nullopt;
        }
        current = current->items[0];
    }
    return std::nullopt;
}

std::vector<std::int64_t> TensorBuilder::sizes(const PickleValue& tuple,
                                               const std::string& name) const {
    const PickleValue* list = &tuple;
    if (list->is(Kind::Object) && list->type->is_global("torch Size") && !list->items.empty()) {
        list = list->items[0];
    }
    if ((!list->is(Kind::Tuple) && !list->is(Kind::List)) ||
        list->items.size() > maximum_dimensions) {
        fail(name, "its shape or strides are not a short tuple");
    }
    std::vector<std::int64_t> result;
    for (const PickleValue* item : list->items) {
        if (!item->is(Kind::Integer) || item->integer < 0) {
            fail(name, "its shape or strides hold something that is not a size");
        }
        result.push_back(item->integer);
    }
    return result;
}

NamedTensor TensorBuilder::rebuild(const PickleValue& call, const std::string& name) {
    const auto& arguments = call.items;
    if (arguments.size() < 4 || !arguments[1]->is(Kind::Integer) || arguments[1]->integer < 0) {
        fail(name, "is described incompletely; the file is damaged");
    }
    const StorageReference reference = storage_reference(*arguments[0], origin_);
    NamedTensor tensor;
    tensor.name = name;
    std::optional<DataType> type = reference.type;
    if (call.type->is_global("torch._utils _rebuild_tensor_v3") && arguments.size() > 6) {
        type = tensor_type(arguments[6]->text);
        if (!type) {
            fail(name, "element type " + printable(arguments[6]->text) + " is not supported");
        }
    }
    if (!type) {
        fail(name, "has no element type; the file is damaged");
    }
    tensor.type = *type;
    tensor.shape = sizes(*arguments[2], name);
    const std::vector<std::int64_t> strides = sizes(*arguments[3], name);
    if (strides.size() != tensor.shape.size()) {
        fail(name, "has " + std::to_string(tensor.shape.size()) + " dimensions and " +
                       std::to_string(strides.size()) + " strides");
    }
    Storage storage = storages_.find(reference);
    const std::size_t unit = reference.type ? size_of(*reference.type) : 1;
    storage.bytes = storage.bytes.subspan(static_cast<std::size_t>(reference.view_offset) * unit,
                                          static_cast<std::size_t>(reference.view_count) * unit);
    slice(tensor, storage, static_cast<std::uint64_t>(arguments[1]->integer), strides);
    return tensor;
}

void TensorBuilder::slice(NamedTensor& tensor, const Storage& storage, std::uint64_t offset,
                          const std::vector<std::int64_t>& strides) {
    const std::uint64_t available = storage.bytes.size() / size_of(tensor.type);
    std::uint64_t count = 1;
    std::uint64_t last = offset;  // index of the last element
    bool overflow = false;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        const auto size = static_cast<std::uint64_t>(tensor.shape[i]);
        std::uint64_t reach = 0;
        overflow |= __builtin_mul_overflow(count, size, &count);
        overflow |= size > 0 && (__builtin_mul_overflow(
                                     size - 1, static_cast<std::uint64_t>(strides[i]), &reach) ||
                                 __builtin_add_overflow(last, reach, &last));
    }
    if (overflow || count > static_cast<std::uint64_t>(INT64_MAX)) {
        fail(tensor.name, "its shape is too large; the file is damaged");
    }
    tensor.owner = storage.owner;
    if (count == 0) {
        tensor.bytes = {};
        return;
    }
    if (last >= available) {
        fail(tensor.name, "reaches element " + std::to_string(last) + " of a storage of " +
                              std::to_string(available) + "; the file is cut or damaged");
    }
    const auto start = static_cast<std::size_t>(offset) * size_of(tensor.type);
    if (is_dense(tensor.shape, strides)) {
        tensor.bytes =
            storage.bytes.subspan(start, static_cast<std::size_t>(count) * size_of(tensor.type));
    } else {
        copy_strided(tensor, storage.bytes.subspan(start), strides);
    }
}

void TensorBuilder::copy_strided(NamedTensor& tensor, std::span<const std::byte> bytes,
                                 const std::vector<std::int64_t>& strides) {
    const std::size_t width = size_of(tensor.type);
    const auto count = static_cast<std::size_t>(tensor.count());
    if (count > copy_left_ / width) {
        fail(tensor.name, "is a view that unfolds to more than the file may hold");
    }
    copy_left_ -= count * width;
    auto buffer = std::make_shared<std::vector<std::byte>>(count * width);
    std::vector<std::int64_t> index(tensor.shape.size());
    std::size_t position = 0;  // element of the storage
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(buffer->data() + i * width, bytes.data() + position * width, width);
        for (std::size_t axis = index.size(); axis > 0; --axis) {
            const auto stride = static_cast<std::size_t>(strides[axis - 1]);
            position += stride;
            if (++index[axis - 1] < tensor.shape[axis - 1]) {
                break;
            }
            position -= stride * static_cast<std::size_t>(tensor.shape[axis - 1]);
            index[axis - 1] = 0;
        }
    }
    tensor.bytes = *buffer;
    tensor.owner = buffer;
}

std::optional<NamedTensor> TensorBuilder::numpy_array(const PickleValue& array,
                                                      const std::string& name) {
    // State: (version, shape, dtype, column-major, bytes or a list of objects).
    const PickleValue* state = array.state;
    if (state == nullptr || !state->is(Kind::Tuple) || state->items.size() != 5) {
        return std::nullopt;
    }
    const auto type = type_of_dtype(*state->items[2]);
    const PickleValue& data = *state->items[4];
    if (!type || (!data.is(Kind::Bytes) && !data.is(Kind::String))) {
        return std::nullopt;  // strings, objects, structures: no tensor
    }
    NamedTensor tensor;
    tensor.name = name;
    tensor.type = *type;
    tensor.shape = sizes(*state->items[1], name);
    if (data.text.size() > copy_left_) {
        fail(name, "is repeated more often than the file may hold");
    }
    copy_left_ -= data.text.size();
    const auto content = std::as_bytes(std::span(data.text));
    const auto buffer =
        std::make_shared<const std::vector<std::byte>>(content.begin(), content.end());
    std::vector<std::int64_t> strides = dense_strides(tensor.shape);
    if (state->items[3]->integer != 0) {  // column-major: dense in reverse order
        std::vector<std::int64_t> reversed(tensor.shape.rbegin(), tensor.shape.rend());
        const std::vector<std::int64_t> dense = dense_strides(reversed);
        strides.assign(dense.rbegin(), dense.rend());
    }
    slice(tensor, {*buffer, buffer}, 0, strides);
    return tensor;
}

}  // namespace seesay::weights
