// Walks the object tree of a checkpoint and names what it finds by the path to it.
#include "models/weights/checkpoint_tensors.hpp"

#include <unordered_set>

#include "models/error.hpp"
#include "models/weights/printable.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;

constexpr int deepest = 64;
constexpr std::size_t most_visits = 4'000'000;
constexpr std::size_t most_name_bytes = std::size_t{64} << 20U;

class TreeWalker {
 public:
    TreeWalker(StorageSource& storages, const std::string& origin, std::size_t copy_limit)
        : builder_(storages, origin, copy_limit), origin_(origin) {}

    void walk(const PickleValue& value, const std::string& path) {
        if (++visits_ > most_visits) {
            throw Error(origin_ + ": its objects refer to each other too often to be a checkpoint");
        }
        if (auto tensor = builder_.build(value, path)) {
            add(std::move(*tensor));
            return;
        }
        // A cycle leads back to an object whose tensors are being collected already.
        if (!is_container(value) || !open_.insert(&value).second) {
            return;
        }
        if (open_.size() > deepest) {
            throw Error(origin_ + ": its objects are nested too deeply to be a checkpoint");
        }
        walk_items(value.items, path);
        walk_items(value.appended, path);
        walk_entries(value, path);
        if (value.is(Kind::Object) && value.state != nullptr) {
            walk_state(*value.state, path);
        }
        open_.erase(&value);
    }

    std::vector<NamedTensor> take() { return std::move(tensors_); }

 private:
    static bool is_container(const PickleValue& value) {
        return value.is(Kind::List) || value.is(Kind::Tuple) || value.is(Kind::Dict) ||
               value.is(Kind::Object);
    }

    static std::string joined(const std::string& path, const std::string& key) {
        return path.empty() ? key : path + "." + key;
    }

    void walk_items(const std::vector<PickleValue*>& items, const std::string& path) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (is_container(*items[i])) {
                walk(*items[i], joined(path, std::to_string(i)));
            }
        }
    }

    /// Entries that a later one of the same key replaces are left out, as Python would.
    void walk_entries(const PickleValue& value, const std::string& path) {
        std::vector<bool> replaced(value.entries.size());
        std::unordered_set<std::string_view> seen;
        for (std::size_t i = value.entries.size(); i > 0; --i) {
            const PickleValue& key = *value.entries[i - 1].first;
            replaced[i - 1] = key.is(Kind::String) && !seen.insert(key.text).second;
        }
        for (std::size_t i = 0; i < value.entries.size(); ++i) {
            const auto& [key, content] = value.entries[i];
            if (replaced[i] || !is_container(*content)) {
                continue;
            }
            walk(*content, joined(path, key->is(Kind::String)    ? key->text
                                        : key->is(Kind::Integer) ? std::to_string(key->integer)
                                                                 : std::to_string(i)));
        }
    }

    /// The attributes of an object. Those of a module that hold its parts do not appear in names.
    void walk_state(const PickleValue& state, const std::string& path) {
        if (state.is(Kind::Tuple)) {  // (dictionary, slots)
            for (const PickleValue* part : state.items) {
                if (part->is(Kind::Dict)) {
                    walk_attributes(*part, path);
                }
            }
        } else if (state.is(Kind::Dict)) {
            walk_attributes(state, path);
        } else {
            walk(state, path);
        }
    }

    void walk_attributes(const PickleValue& attributes, const std::string& path) {
        for (const auto& [key, content] : attributes.entries) {
            if (!key->is(Kind::String) || !is_container(*content)) {
                continue;
            }
            const std::string& name = key->text;
            const bool part = name == "_modules" || name == "_parameters" || name == "_buffers";
            walk(*content, part ? path : joined(path, name));
        }
    }

    void add(NamedTensor tensor) {
        name_bytes_ += tensor.name.size() + sizeof(NamedTensor);
        if (name_bytes_ > most_name_bytes) {
            throw Error(origin_ + ": has too many tensors to be a checkpoint");
        }
        if (!names_.insert(tensor.name).second) {
            throw Error(origin_ + ": two tensors are both named " + printable(tensor.name));
        }
        tensors_.push_back(std::move(tensor));
    }

    TensorBuilder builder_;
    const std::string& origin_;
    std::vector<NamedTensor> tensors_;
    std::unordered_set<std::string> names_;
    std::unordered_set<const PickleValue*> open_;
    std::size_t visits_ = 0;
    std::size_t name_bytes_ = 0;
};

}  // namespace

std::vector<NamedTensor> collect_tensors(const PickleValue& root, StorageSource& storages,
                                         const std::string& origin, std::size_t copy_limit) {
    TreeWalker walker(storages, origin, copy_limit);
    walker.walk(root, "");
    return walker.take();
}

}  // namespace seesay::weights
