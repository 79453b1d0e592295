// Captions packed for teacher forcing, and what a network gives for them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seesay::language {

/// Captions sorted by falling length: the rows of step 0, then of step 1, and so on. S = Σ rows; R
/// captions; B pictures.
struct PackedCaptions {
    at::Tensor inputs;    ///< `[S] int64` previous words, the first <start>
    at::Tensor targets;   ///< `[S] int64` words to predict, the last <end>
    at::Tensor caption;   ///< `[S] int64` which caption (0…R−1, sorted order) a row belongs to
    at::Tensor pictures;  ///< `[R] int64` which picture (0…B−1) a caption describes
    std::vector<std::int64_t> rows;  ///< rows of each step
    std::vector<std::size_t> order;  ///< caption r (sorted) was given as number order[r]
};

/// Packs token ids (without start and end) of `captions[r]`, which describe picture `pictures[r]`.
/// Captions longer than `maximum_length` words are cut and lose their end token: nothing says that
/// they ended there.
PackedCaptions pack_captions(const std::vector<std::vector<std::int64_t>>& captions,
                             const std::vector<std::int64_t>& pictures, std::int64_t start,
                             std::int64_t end, std::int64_t maximum_length);

/// What teacher forcing gives for packed captions.
struct TeacherForcing {
    at::Tensor logits;     ///< `[S, V]`
    at::Tensor attention;  ///< `[S, L]`; undefined where the network has none
    /// `[S] int64` the place looked at, −1 where at the expectation; undefined: all of them.
    at::Tensor places;
};

/// The doubly stochastic term (Xu et al. 2015, equation 14): the mean over captions of Σ_i (1 − Σ_t
/// α_ti)². Scalar.
at::Tensor doubly_stochastic_term(const at::Tensor& attention, const PackedCaptions& captions);

}  // namespace seesay::language
