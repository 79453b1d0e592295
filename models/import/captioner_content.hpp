// From an imported captioner to the content of its package.
#pragma once

#include <string>

#include "models/import/captioner_import.hpp"
#include "models/import/package_content.hpp"

namespace seesay::import {

/// The encoder that a captioner reads.
struct EncoderReference {
    std::string name;
    std::string sha256;
};

/// The encoder package `argument` (as find_package takes it). Throws Error if its vectors are not
/// of the captioner's dimension.
EncoderReference encoder_reference(const std::string& argument, const ImportedCaptioner& captioner);

/// Manifest, card and vocabulary; weights stay float32, so that the numbers stay the repository's.
PackageContent captioner_package(const ImportedCaptioner& captioner, const std::string& name,
                                 const CheckpointSource& checkpoint, const CheckpointSource& words,
                                 const EncoderReference& encoder);

}  // namespace seesay::import
