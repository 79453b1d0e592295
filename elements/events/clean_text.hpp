// Text that may leave the program: valid UTF-8 without characters that could change how its
// surroundings are shown.
#pragma once

#include <string>
#include <string_view>

namespace seesay::elements {

/// `text` made harmless. Each malformed UTF-8 sequence becomes U+FFFD, one for each maximal part as
/// Unicode recommends (chapter 3, table 3-8). Tabs, line breaks and the Unicode line and paragraph
/// separators become a space. Other control characters (C0, DEL, C1), bidirectional embeddings,
/// overrides and isolates (U+202A–202E, U+2066–2069), byte order marks and noncharacters are
/// removed. Joiners and direction marks, which emoji and several scripts need, stay.
std::string clean_text(std::string_view text);

}  // namespace seesay::elements
