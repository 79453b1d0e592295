// Recognises what people have in place of a weights file: nothing, a web page, a Git LFS pointer.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace seesay::weights {

/// What the bytes are instead and what to do, as the end of a sentence ("is empty; …"); empty if
/// none of the known mistakes.
std::string describe_foreign_file(std::span<const std::byte> bytes);

}  // namespace seesay::weights
