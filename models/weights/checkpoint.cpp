// Tells the containers apart and finds the storages in each.
#include "models/weights/checkpoint.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "models/error.hpp"
#include "models/weights/checkpoint_storages.hpp"
#include "models/weights/checkpoint_tensors.hpp"
#include "models/weights/foreign_file.hpp"
#include "models/weights/mapped_file.hpp"
#include "models/weights/pickle.hpp"
#include "models/weights/pickle_calls.hpp"
#include "models/weights/storage.hpp"
#include "models/weights/zip_archive.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

/// What torch.save's legacy form starts with: 0x1950a86a20f9469cfc6c.
constexpr std::string_view magic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::int64_t legacy_protocol = 1001;
constexpr std::size_t copy_allowance = std::size_t{256} << 20U;

/// `<root>/` of the one data.pkl of a checkpoint; Error saying what the zip is instead.
std::string zip_root(const ZipArchive& archive, const std::string& origin) {
    std::optional<std::string> root;
    bool script = false;
    bool numpy = false;
    for (const auto& [name, member] : archive.members()) {
        const std::size_t slash = name.find('/');
        const std::string_view rest = slash == std::string::npos
                                          ? std::string_view{}
                                          : std::string_view(name).substr(slash + 1);
        script |= rest == "constants.pkl" || rest.starts_with("code/");
        numpy |= name.ends_with(".npy");
        if (rest == "data.pkl") {
            if (root) {
                throw Error(origin + ": holds two checkpoints");
            }
            root = name.substr(0, slash + 1);
        }
    }
    if (script) {
        throw Error(origin +
                    ": is a TorchScript program, not a checkpoint; save the module's state_dict() "
                    "with torch.save");
    }
    if (!root) {
        throw Error(origin + (numpy
                                  ? ": is a NumPy .npz archive, not a PyTorch checkpoint"
                                  : ": is a zip file without data.pkl, not a PyTorch checkpoint"));
    }
    return *root;
}

void check_byte_order(const ZipArchive& archive, const std::string& root,
                      const std::string& origin) {
    if (!archive.contains(root + "byteorder")) {
        return;
    }
    const ZipContent content = archive.read(root + "byteorder");
    const std::string_view order(reinterpret_cast<const char*>(content.bytes.data()),
                                 content.bytes.size());
    if (order != "little") {
        throw Error(origin + ": was written on a big-endian machine, which is not supported");
    }
}

/// Formats that are mistaken for checkpoints, by their first bytes.
void refuse_other_formats(std::span<const std::byte> bytes, const std::string& origin) {
    if (const std::string foreign = describe_foreign_file(bytes); !foreign.empty()) {
        throw Error(origin + ": " + foreign);
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                std::min<std::size_t>(bytes.size(), 512));
    if (text.size() > 262 && text.substr(257, 5) == "ustar") {
        throw Error(origin +
                    ": is a tar file, the form of PyTorch before 0.1.10; load it with an old "
                    "PyTorch and save it again");
    }
    if (text.starts_with("\x89HDF\r\n\x1a\n")) {
        throw Error(origin + ": is an HDF5 file, not a PyTorch checkpoint");
    }
    if (text.starts_with("\x1f\x8b")) {
        throw Error(origin + ": is gzip-compressed; unpack it first");
    }
    std::uint64_t header = 0;
    for (std::size_t i = 0; i < 8 && text.size() > 9; ++i) {
        header |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(text[i])) << (8 * i);
    }
    if (text.size() > 9 && text[8] == '{' && header <= bytes.size() - 8) {
        throw Error(origin + ": is a safetensors file, not a PyTorch checkpoint");
    }
}

std::vector<std::string> foreign_names_of(const PickleTree& tree) {
    std::set<std::string> names;
    for (const PickleValue& value : tree.values()) {
        if (value.is(Kind::Global) && !is_known_global(value.text) && !storage_type(value.text)) {
            names.insert(value.text);
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace

Checkpoint Checkpoint::open(const std::filesystem::path& file) {
    const auto mapping = MappedFile::open(file);
    return parse(mapping->bytes(), mapping, file.string());
}

Checkpoint Checkpoint::parse(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                             const std::string& origin) {
    Checkpoint checkpoint;
    checkpoint.origin_ = origin;
    auto tree = std::make_shared<PickleTree>();
    checkpoint.tree_ = tree;
    const std::size_t copy_limit = copy_allowance + bytes.size();
    if (ZipArchive::looks_like(bytes)) {
        const ZipArchive archive(bytes, std::move(owner), origin);
        const std::string root = zip_root(archive, origin);
        check_byte_order(archive, root, origin);
        const ZipContent pickle = archive.read(root + "data.pkl");
        const PickleResult result = read_pickle(pickle.bytes, *tree, origin);
        checkpoint.root_ = result.value;
        ZipStorages storages(archive, root, origin);
        checkpoint.tensors_ = collect_tensors(*result.value, storages, origin, copy_limit);
    } else {
        refuse_other_formats(bytes, origin);
        checkpoint.read_pickles(bytes, std::move(owner), *tree, copy_limit);
    }
    checkpoint.foreign_names_ = foreign_names_of(*tree);
    return checkpoint;
}

void Checkpoint::read_pickles(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              PickleTree& tree, std::size_t copy_limit) {
    const auto next = [&] {
        const PickleResult result = read_pickle(bytes, tree, origin_);
        bytes = bytes.subspan(result.consumed);
        return result.value;
    };
    const std::byte first = bytes[0];
    if (first != std::byte{0x80} &&
        std::string_view("(]}cLIl").find(static_cast<char>(first)) == std::string_view::npos) {
        throw Error(origin_ + ": is not a PyTorch checkpoint (neither zip nor pickle)");
    }
    const PickleValue* start = next();
    if (!start->is(Kind::BigInteger) || start->text != magic) {
        container_ = Container::Pickle;
        if (!bytes.empty()) {
            throw Error(origin_ + ": " + std::to_string(bytes.size()) +
                        " bytes follow the pickle; it is no PyTorch checkpoint");
        }
        root_ = start;
        NoStorages storages(origin_);
        tensors_ = collect_tensors(*root_, storages, origin_, copy_limit);
        return;
    }
    container_ = Container::Legacy;
    const PickleValue* protocol = next();
    if (!protocol->is(Kind::Integer) || protocol->integer != legacy_protocol) {
        throw Error(origin_ + ": the legacy form's protocol is not 1001");
    }
    const PickleValue* system = next();
    const PickleValue* little = system->find("little_endian");
    if (little == nullptr || little->integer == 0) {
        throw Error(origin_ + ": was written on a big-endian machine, which is not supported");
    }
    root_ = next();
    const PickleValue* keys = next();
    LegacyStorages storages(bytes, std::move(owner), origin_);
    storages.read(*keys, tree);
    tensors_ = collect_tensors(*root_, storages, origin_, copy_limit);
}

std::vector<std::string> Checkpoint::top_level_keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : root_->entries) {
        if (key->is(Kind::String)) {
            keys.push_back(key->text);
        }
    }
    return keys;
}

std::vector<std::string> Checkpoint::prefixes_of(const std::string& marker) const {
    std::vector<std::string> prefixes;
    for (const NamedTensor& tensor : tensors_) {
        const std::string& name = tensor.name;
        if (name == marker || name.ends_with("." + marker)) {
            prefixes.push_back(name.substr(0, name.size() - marker.size()));
        }
    }
    return prefixes;
}

std::vector<NamedTensor> Checkpoint::tensors_under(const std::string& prefix) const {
    std::vector<NamedTensor> result;
    for (const NamedTensor& tensor : tensors_) {
        if (tensor.name.starts_with(prefix)) {
            result.push_back(tensor);
            result.back().name.erase(0, prefix.size());
        }
    }
    return result;
}

}  // namespace seesay::weights
