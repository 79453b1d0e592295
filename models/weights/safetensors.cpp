// The safetensors reader: trusts nothing in the header before it is checked against the file.
#include "models/weights/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/error.hpp"
#include "models/weights/foreign_file.hpp"
#include "models/weights/mapped_file.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/strict_json.hpp"

namespace seesay::weights {
namespace {

using nlohmann::json;

/// The limit of the reference implementation.
constexpr std::uint64_t maximum_header = 100'000'000;
constexpr std::size_t maximum_rank = 16;

std::optional<DataType> type_named(const std::string& name) {
    for (const DataType type :
         {DataType::Bool, DataType::U8, DataType::I8, DataType::I16, DataType::I32, DataType::I64,
          DataType::F16, DataType::BF16, DataType::F32, DataType::F64}) {
        if (name == name_of(type)) {
            return type;
        }
    }
    return std::nullopt;
}

/// Reads one file's header and slices its data.
class HeaderReader {
 public:
    HeaderReader(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& origin)
        : bytes_(bytes), owner_(std::move(owner)), origin_(origin) {}

    void read(std::map<std::string, NamedTensor>& tensors,
              std::map<std::string, std::string>& metadata) {
        const json header = header_json();
        for (const auto& [name, value] : header.items()) {
            if (name == "__metadata__") {
                read_metadata(value, metadata);
            } else {
                tensors.emplace(name, read_tensor(name, value));
            }
        }
        check_coverage(tensors);
    }

 private:
    [[noreturn]] void fail(const std::string& what) const { throw Error(origin_ + ": " + what); }

    [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
        throw Error(origin_ + ": tensor " + printable(tensor) + ": " + what);
    }

    json header_json() {
        if (const std::string foreign = describe_foreign_file(bytes_); !foreign.empty()) {
            fail(foreign);
        }
        if (bytes_.size() < 8) {
            fail("is not a safetensors file (" + std::to_string(bytes_.size()) + " bytes)");
        }
        std::uint64_t length = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            length |= std::to_integer<std::uint64_t>(bytes_[i]) << (8 * i);
        }
        if (length > maximum_header) {
            fail("is not a safetensors file (header length " + std::to_string(length) + ")");
        }
        if (length > bytes_.size() - 8) {
            fail("header of " + std::to_string(length) + " bytes in a file of " +
                 std::to_string(bytes_.size()) + "; the file is cut or not safetensors");
        }
        const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + 8,
                                    static_cast<std::size_t>(length));
        if (!text.starts_with('{')) {
            fail("is not a safetensors file (no JSON header)");
        }
        data_ = bytes_.subspan(8 + static_cast<std::size_t>(length));
        return parse_strict_json(text, origin_ + " (header)", 4);
    }

    void read_metadata(const json& value, std::map<std::string, std::string>& metadata) const {
        if (!value.is_object()) {
            fail("header key \"__metadata__\" is not an object");
        }
        for (const auto& [key, text] : value.items()) {
            if (!text.is_string()) {
                fail("metadata " + printable(key) + " is not a string");
            }
            metadata.emplace(key, text.get<std::string>());
        }
    }

    [[nodiscard]] const json& member(const std::string& tensor, const json& value,
                                     const char* key) const {
        const auto found = value.find(key);
        if (found == value.end()) {
            fail(tensor, std::string("has no \"") + key + "\"");
        }
        return *found;
    }

    /// A list of integers in 0…2⁶³−1.
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& tensor, const json& list,
                                                     const char* key) const {
        if (!list.is_array()) {
            fail(tensor, std::string("\"") + key + "\" is not a list");
        }
        std::vector<std::int64_t> result;
        result.reserve(list.size());
        for (const json& item : list) {
            if (!item.is_number_unsigned() ||
                item.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
                fail(tensor, std::string("\"") + key + "\" holds something that is not a size");
            }
            result.push_back(item.get<std::int64_t>());
        }
        return result;
    }

    [[nodiscard]] NamedTensor read_tensor(const std::string& name, const json& value) const {
        if (!value.is_object()) {
            fail(name, "its header entry is not an object");
        }
        for (const auto& [key, ignored] : value.items()) {
            if (key != "dtype" && key != "shape" && key != "data_offsets") {
                fail(name, "unknown header key " + printable(key));
            }
        }
        NamedTensor tensor;
        tensor.name = name;
        tensor.owner = owner_;
        const json& type = member(name, value, "dtype");
        const auto known =
            type.is_string() ? type_named(type.get<std::string>()) : std::optional<DataType>{};
        if (!known) {
            fail(name,
                 "element type " +
                     (type.is_string() ? printable(type.get<std::string>()) : "(not a string)") +
                     " is not supported");
        }
        tensor.type = *known;
        tensor.shape = integers(name, member(name, value, "shape"), "shape");
        if (tensor.shape.size() > maximum_rank) {
            fail(name, "has " + std::to_string(tensor.shape.size()) + " dimensions");
        }
        tensor.bytes = slice(name, tensor,
                             integers(name, member(name, value, "data_offsets"), "data_offsets"));
        return tensor;
    }

    [[nodiscard]] std::span<const std::byte> slice(const std::string& name,
                                                   const NamedTensor& tensor,
                                                   const std::vector<std::int64_t>& range) const {
        if (range.size() != 2 || range[0] > range[1]) {
            fail(name, "\"data_offsets\" is not a range");
        }
        std::uint64_t expected = size_of(tensor.type);
        for (const std::int64_t size : tensor.shape) {
            if (__builtin_mul_overflow(expected, static_cast<std::uint64_t>(size), &expected)) {
                fail(name, "its shape is too large");
            }
        }
        const auto begin = static_cast<std::uint64_t>(range[0]);
        const auto end = static_cast<std::uint64_t>(range[1]);
        if (end > data_.size()) {
            fail(name, "ends at byte " + std::to_string(end) + " of " +
                           std::to_string(data_.size()) + "; the file is cut");
        }
        if (end - begin != expected) {
            fail(name, "holds " + std::to_string(end - begin) + " bytes where its shape needs " +
                           std::to_string(expected));
        }
        return data_.subspan(static_cast<std::size_t>(begin),
                             static_cast<std::size_t>(end - begin));
    }

    /// The format allows neither holes nor overlaps: in order, each tensor starts where the one
    /// before ended.
    void check_coverage(const std::map<std::string, NamedTensor>& tensors) const {
        std::vector<const NamedTensor*> order;
        order.reserve(tensors.size());
        for (const auto& [name, tensor] : tensors) {
            order.push_back(&tensor);
        }
        const auto begin_of = [this](const NamedTensor* tensor) {
            return static_cast<std::size_t>(tensor->bytes.data() - data_.data());
        };
        std::sort(order.begin(), order.end(), [&](const NamedTensor* a, const NamedTensor* b) {
            return std::pair(begin_of(a), a->bytes.size()) <
                   std::pair(begin_of(b), b->bytes.size());
        });
        std::size_t end = 0;
        for (const NamedTensor* tensor : order) {
            if (begin_of(tensor) != end) {
                fail(tensor->name, begin_of(tensor) < end
                                       ? "overlaps another tensor"
                                       : "there is a hole in the data before it");
            }
            end += tensor->bytes.size();
        }
        if (end != data_.size()) {
            fail(std::to_string(data_.size() - end) + " bytes after the last tensor");
        }
    }

    std::span<const std::byte> bytes_;
    std::span<const std::byte> data_;
    std::shared_ptr<const void> owner_;
    const std::string& origin_;
};

}  // namespace

Safetensors Safetensors::open(const std::filesystem::path& file) {
    const auto mapping = MappedFile::open(file);
    Safetensors result;
    result.origin_ = file.string();
    HeaderReader(mapping->bytes(), mapping, result.origin_).read(result.tensors_, result.metadata_);
    return result;
}

Safetensors Safetensors::parse(std::shared_ptr<const std::vector<std::byte>> bytes,
                               const std::string& origin) {
    Safetensors result;
    result.origin_ = origin;
    HeaderReader(*bytes, bytes, result.origin_).read(result.tensors_, result.metadata_);
    return result;
}

const NamedTensor& Safetensors::at(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
        throw Error(origin_ + ": has no tensor " + printable(name));
    }
    return found->second;
}

}  // namespace seesay::weights
