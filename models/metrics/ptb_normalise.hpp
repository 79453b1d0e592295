// What a matched token becomes: quotes and brackets named, dashes and currency unified, lower case.
#pragma once

#include <string>
#include <string_view>

#include "models/metrics/ptb_grammar.hpp"

namespace seesay::metrics::ptb {

/// The token's text after its treatment, in lower case; `matched` is what stands in the caption.
std::u32string normalise(std::u32string_view matched, Treatment treatment);

/// Lower case as Java makes it: final sigma, dotted capital I.
std::u32string lower_case(std::u32string_view token);

}  // namespace seesay::metrics::ptb
