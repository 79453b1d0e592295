// Where results go: temporary names, and the refusals that come before any work.
#pragma once

#include <filesystem>
#include <string>

namespace seesay::pipeline {

/// `DIR/NAME.part.EXT` for `DIR/NAME.EXT`: the extension stays, since it says what is in the file.
/// The name is shortened where the file system's limit (255 bytes) would not hold it.
std::filesystem::path part_path(const std::filesystem::path& output);

/// Whether both name one file, by any spelling, symbolic or hard link. False if one of them does
/// not exist.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws Error naming `output` if it is a folder, lies in a folder that does not exist or cannot
/// be written, has too long a name, exists already (unless `force`), or is the file that is read
/// (`input`, a path or empty).
void check_output(const std::filesystem::path& output, const std::filesystem::path& input,
                  bool force);

}  // namespace seesay::pipeline
