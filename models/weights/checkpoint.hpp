// PyTorch checkpoints (.pth, .pt, .pth.tar, .pkl) as named tensors. Reads data only: nothing in a
// file is executed.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/weights/named_tensor.hpp"
#include "models/weights/pickle_value.hpp"

namespace seesay::weights {

/// An opened checkpoint. Understands torch.save's zip form, its legacy form (before 1.6), and plain
/// pickles with NumPy arrays; shared storages, offsets and strides are honoured.
class Checkpoint {
 public:
    enum class Container { Zip, Legacy, Pickle };

    /// Throws Error naming the file and what is wrong with it or what it is instead (TorchScript,
    /// the tar form before PyTorch 0.1.10, a web page, …).
    static Checkpoint open(const std::filesystem::path& file);
    /// The same over bytes that `owner` keeps alive. `origin` is used in messages.
    static Checkpoint parse(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                            const std::string& origin);

    [[nodiscard]] Container container() const { return container_; }
    [[nodiscard]] const std::string& origin() const { return origin_; }
    /// The object that was saved.
    [[nodiscard]] const PickleValue& root() const { return *root_; }
    /// Every tensor of the tree, in its order, named by the path to it: dictionary keys, list
    /// indices and the attributes of objects joined by dots ("state_dict.fc.weight"). A pickled
    /// module's parameters have the names of its state_dict.
    [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return tensors_; }
    /// Classes and functions ("module name") that the file mentions and this reader does not know,
    /// sorted. Their objects are in the tree as inert data.
    [[nodiscard]] const std::vector<std::string>& foreign_names() const { return foreign_names_; }
    /// String keys of the saved dictionary, in its order; empty if it is something else.
    [[nodiscard]] std::vector<std::string> top_level_keys() const;

    /// Paths under which a tensor named `marker` is found ("" for the top), in order:
    /// {"state_dict."} for
    /// {"state_dict": {marker: …}}.
    [[nodiscard]] std::vector<std::string> prefixes_of(const std::string& marker) const;
    /// The tensors whose name starts with `prefix`, named without it.
    [[nodiscard]] std::vector<NamedTensor> tensors_under(const std::string& prefix) const;

 private:
    void read_pickles(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                      PickleTree& tree, std::size_t copy_limit);

    Container container_ = Container::Zip;
    std::string origin_;
    std::shared_ptr<const PickleTree> tree_;
    const PickleValue* root_ = nullptr;
    std::vector<NamedTensor> tensors_;
    std::vector<std::string> foreign_names_;
};

}  // namespace seesay::weights
