// Every storage must have exactly the bytes that its elements need.
#include "models/weights/checkpoint_storages.hpp"

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

/// Bytes of a storage, or Error if that does not fit a machine word.
std::uint64_t bytes_of(const StorageReference& reference, const std::string& origin) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(reference.count, reference.type ? size_of(*reference.type) : 1,
                               &bytes)) {
        throw Error(origin + ": storage " + printable(reference.key) + " has an impossible size");
    }
    return bytes;
}

void check_bytes(const StorageReference& reference, std::uint64_t actual,
                 const std::string& origin) {
    if (const std::uint64_t expected = bytes_of(reference, origin); actual != expected) {
        throw Error(origin + ": storage " + printable(reference.key) + " has " +
                    std::to_string(actual) + " bytes where its " + std::to_string(reference.count) +
                    " elements need " + std::to_string(expected) + "; the file is damaged");
    }
}

/// Whether a persistent id refers to the source text of a module, not to a storage.
bool is_source(const PickleValue& persistent) {
    const PickleValue* id = persistent.items[0];
    return id->is(Kind::Tuple) && !id->items.empty() && id->items[0]->is(Kind::String) &&
           id->items[0]->text == "module";
}

}  // namespace

Storage ZipStorages::find(const StorageReference& reference) {
    auto found = storages_.find(reference.key);
    if (found == storages_.end()) {
        ZipContent content = archive_.read(root_ + "data/" + reference.key);
        found = storages_.emplace(reference.key, Storage{content.bytes, std::move(content.owner)})
                    .first;
    }
    check_bytes(reference, found->second.bytes.size(), origin_);
    return found->second;
}

void LegacyStorages::read(const PickleValue& keys, const PickleTree& tree) {
    if (!keys.is(Kind::List)) {
        throw Error(origin_ + ": the list of storages is missing; the file is damaged");
    }
    std::map<std::string, StorageReference> references;
    for (const PickleValue& value : tree.values()) {
        if (value.is(Kind::Persistent) && !is_source(value)) {
            StorageReference reference = storage_reference(value, origin_);
            references.emplace(reference.key, std::move(reference));
        }
    }
    for (const PickleValue* key : keys.items) {
        const std::string text = key->is(Kind::Integer) ? std::to_string(key->integer) : key->text;
        const auto reference = references.find(text);
        if (reference == references.end()) {
            throw Error(origin_ + ": nothing refers to storage " + printable(text) +
                        "; the file is damaged");
        }
        read_one(reference->second);
    }
    if (!bytes_.empty()) {
        throw Error(origin_ + ": " + std::to_string(bytes_.size()) +
                    " bytes follow the last storage; something was appended to the file");
    }
}

void LegacyStorages::read_one(const StorageReference& reference) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < 8 && bytes_.size() >= 8; ++i) {
        count |= std::to_integer<std::uint64_t>(bytes_[i]) << (8 * i);
    }
    const std::uint64_t size = bytes_of(reference, origin_);
    if (bytes_.size() < 8 || bytes_.size() - 8 < size) {
        throw Error(origin_ + ": storage " + printable(reference.key) + " needs " +
                    std::to_string(size) + " bytes, " +
                    std::to_string(bytes_.size() < 8 ? 0 : bytes_.size() - 8) +
                    " are left; the file is cut");
    }
    if (count != reference.count) {
        throw Error(origin_ + ": storage " + printable(reference.key) + " announces " +
                    std::to_string(count) + " elements and is used with " +
                    std::to_string(reference.count) + "; the file is damaged");
    }
    const auto data = bytes_.subspan(8, static_cast<std::size_t>(size));
    if (!storages_.emplace(reference.key, Storage{data, owner_}).second) {
        throw Error(origin_ + ": storage " + printable(reference.key) + " occurs twice");
    }
    bytes_ = bytes_.subspan(8 + static_cast<std::size_t>(size));
}

Storage LegacyStorages::find(const StorageReference& reference) {
    const auto found = storages_.find(reference.key);
    if (found == storages_.end()) {
        throw Error(origin_ + ": storage " + printable(reference.key) +
                    " is missing; the file is cut or damaged");
    }
    check_bytes(reference, found->second.bytes.size(), origin_);
    return found->second;
}

Storage NoStorages::find(const StorageReference& reference) {
    throw Error(origin_ + ": storage " + printable(reference.key) +
                " is not in the file; it was not written by torch.save");
}

}  // namespace seesay::weights
