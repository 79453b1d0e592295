// The safetensors writer: header padded with spaces to a multiple of 8, data back to back in the
// given order.
#include <nlohmann/json.hpp>
#include <set>

#include "models/error.hpp"
#include "models/weights/output_file.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/safetensors.hpp"

namespace seesay::weights {
namespace {

using nlohmann::ordered_json;

void check(const NamedTensor& tensor, const std::filesystem::path& file) {
    std::uint64_t expected = size_of(tensor.type);
    bool valid = true;
    for (const std::int64_t size : tensor.shape) {
        valid = valid && size >= 0 &&
                !__builtin_mul_overflow(expected, static_cast<std::uint64_t>(size), &expected);
    }
    if (!valid || tensor.bytes.size() != expected) {
        throw Error(file.string() + ": tensor " + printable(tensor.name) + " holds " +
                    std::to_string(tensor.bytes.size()) +
                    " bytes, which is not what its shape needs");
    }
    if (tensor.name == "__metadata__") {
        throw Error(file.string() + ": no tensor can be named \"__metadata__\"");
    }
}

std::string header_of(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
    ordered_json header = ordered_json::object();
    if (!metadata.empty()) {
        header["__metadata__"] = metadata;
    }
    std::set<std::string> names;
    std::uint64_t offset = 0;
    for (const NamedTensor& tensor : tensors) {
        check(tensor, file);
        if (!names.insert(tensor.name).second) {
            throw Error(file.string() + ": tensor " + printable(tensor.name) + " is given twice");
        }
        ordered_json entry;
        entry["dtype"] = name_of(tensor.type);
        entry["shape"] = tensor.shape;
        entry["data_offsets"] = {offset, offset + tensor.bytes.size()};
        header.push_back({tensor.name, std::move(entry)});
        offset += tensor.bytes.size();
    }
    std::string text;
    try {
        text = header.dump();
    } catch (const ordered_json::exception&) {
        throw Error(file.string() + ": a tensor's name or the metadata is not UTF-8");
    }
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
    const std::string header = header_of(file, tensors, metadata);
    std::string length(8, '\0');
    for (std::size_t i = 0; i < length.size(); ++i) {
        length[i] = static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i));
    }
    OutputFile output(file);
    output.write(length);
    output.write(header);
    for (const NamedTensor& tensor : tensors) {
        output.write(tensor.bytes);
    }
    output.commit();
}

}  // namespace seesay::weights
