// PackageContent: what an importer makes of a checkpoint, ready to be written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/weights/named_tensor.hpp"

namespace seesay::import {

/// All that write_package needs.
struct PackageContent {
    std::string architecture;
    nlohmann::json manifest;
    std::vector<weights::NamedTensor> tensors;
    std::vector<std::pair<std::string, std::string>> text_files;  ///< by name
    std::vector<std::string> notes;  ///< what the file holds that the package does not, and so on
};

/// Where a file came from, as the package records it.
struct CheckpointSource {
    std::string file;    ///< name without folder
    std::string sha256;  ///< of the file
};

}  // namespace seesay::import
