// The JSON caption formats: COCO annotations, COCO results, Karpathy's splits.
#pragma once

#include <filesystem>
#include <istream>

#include "models/metrics/caption_files.hpp"

namespace seesay::metrics {

/// Reads from where the stream stands; `file` is for the messages. See `read_captions`.
CaptionFile read_caption_json(const std::filesystem::path& file, std::istream& stream);

}  // namespace seesay::metrics
