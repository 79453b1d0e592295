// Checked access to a caption's attention: one row a word, or their mean.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "models/language/caption.hpp"

namespace seesay::overlay {

/// True where `caption.attention` is `[T, L]` with L places in its geometry, as promised; false
/// where the model has no attention or sizes disagree.
bool has_attention(const language::Caption& caption);

/// `[L] float32`: the row of `word`, or the mean over all rows for none. `has_attention(caption)`
/// holds and `word` < T.
std::vector<float> attention_row(const language::Caption& caption, std::optional<std::size_t> word);

}  // namespace seesay::overlay
