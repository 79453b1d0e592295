// The Snowball English stemmer (Porter's second algorithm), which CIDEr's definition asks for.
#pragma once

#include <string>
#include <string_view>

namespace seesay::metrics {

/// The stem of one lower-case word, UTF-8 in and out (http://snowball.tartarus.org, "English",
/// as in Snowball 2.2). Characters outside a–z count as consonants.
std::string english_stem(std::string_view word);

}  // namespace seesay::metrics
