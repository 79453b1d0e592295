// Where each container of a checkpoint keeps its storages.
#pragma once

#include <map>
#include <string>

#include "models/weights/storage.hpp"
#include "models/weights/zip_archive.hpp"

namespace seesay::weights {

/// `<root>data/<key>`, one member a storage. Each is read, and its checksum verified, once.
class ZipStorages : public StorageSource {
 public:
    /// `archive` and `origin` must outlive it; `root` ends in a slash.
    ZipStorages(const ZipArchive& archive, std::string root, const std::string& origin)
        : archive_(archive), root_(std::move(root)), origin_(origin) {}

    Storage find(const StorageReference& reference) override;

 private:
    const ZipArchive& archive_;
    std::string root_;
    const std::string& origin_;
    std::map<std::string, Storage> storages_;
};

/// The storages of a legacy file, one after the other behind the pickles.
class LegacyStorages : public StorageSource {
 public:
    LegacyStorages(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   const std::string& origin)
        : bytes_(bytes), owner_(std::move(owner)), origin_(origin) {}

    /// Slices the file: `keys` in their order there, `tree` for the element type of each. Throws
    /// Error if they do not fill it exactly.
    void read(const PickleValue& keys, const PickleTree& tree);

    Storage find(const StorageReference& reference) override;

 private:
    void read_one(const StorageReference& reference);

    std::span<const std::byte> bytes_;
    std::shared_ptr<const void> owner_;
    const std::string& origin_;
    std::map<std::string, Storage> storages_;
};

/// Plain pickles have none.
class NoStorages : public StorageSource {
 public:
    explicit NoStorages(const std::string& origin) : origin_(origin) {}

    Storage find(const StorageReference& reference) override;

 private:
    const std::string& origin_;
};

}  // namespace seesay::weights
