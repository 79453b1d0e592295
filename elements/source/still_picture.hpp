// Picture files that are films: motion JPEG, APNG and animated WebP begin like their still kin.
#pragma once

#include <string>

namespace seesay::elements {

/// Whether the picture file `path` holds more than one picture to be shown one after the other.
bool is_animated_picture(const std::string& path);

}  // namespace seesay::elements
