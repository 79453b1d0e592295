// Why a file is not a film: a look at its first bytes, for an error message that helps.
#pragma once

#include <string>

namespace seesay::elements {

/// A few words for a local file that no demuxer understood ("it is empty", "it is a web page", "it
/// is a Git LFS pointer: fetch the real file with `git lfs pull`"…); empty where nothing is known.
std::string describe_unreadable(const std::string& path);

}  // namespace seesay::elements
