// Names out of files, made safe to print: messages stay one line whatever a file says.
#pragma once

#include <string>
#include <string_view>

namespace seesay::weights {

/// `text` in double quotes, control characters and invalid UTF-8 as `\xNN`, cut after 80
/// characters.
std::string printable(std::string_view text);

}  // namespace seesay::weights
