// Sorting and packing.
#include "models/language/packed_captions.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace seesay::language {

PackedCaptions pack_captions(const std::vector<std::vector<std::int64_t>>& captions,
                             const std::vector<std::int64_t>& pictures, std::int64_t start,
                             std::int64_t end, std::int64_t maximum_length) {
    // Steps of a caption: its words and the end token, or just the first words of one that is cut.
    auto steps = [&](std::size_t index) {
        const auto words = static_cast<std::int64_t>(captions[index].size());
        return words > maximum_length ? maximum_length : words + 1;
    };
    std::vector<std::size_t> order(captions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return steps(a) > steps(b); });

    PackedCaptions packed;
    std::vector<std::int64_t> inputs, targets, caption, picture_of;
    for (const auto index : order) {
        picture_of.push_back(pictures[index]);
    }
    const std::int64_t longest = order.empty() ? 0 : steps(order.front());
    for (std::int64_t t = 0; t < longest; ++t) {
        std::int64_t row = 0;
        for (; row < static_cast<std::int64_t>(order.size()) && steps(order[row]) > t; ++row) {
            const auto& words = captions[order[row]];
            inputs.push_back(t == 0 ? start : words[t - 1]);
            targets.push_back(t < static_cast<std::int64_t>(words.size()) ? words[t] : end);
            caption.push_back(row);
        }
        packed.rows.push_back(row);
    }
    packed.inputs = torch::tensor(inputs, torch::kInt64);
    packed.targets = torch::tensor(targets, torch::kInt64);
    packed.caption = torch::tensor(caption, torch::kInt64);
    packed.pictures = torch::tensor(picture_of, torch::kInt64);
    packed.order = std::move(order);
    return packed;
}

at::Tensor doubly_stochastic_term(const at::Tensor& attention, const PackedCaptions& captions) {
    const std::int64_t count = captions.pictures.size(0);
    const at::Tensor sums = at::zeros({count, attention.size(1)}, attention.options())
                                .index_add(0, captions.caption, attention);
    return (1 - sums).pow(2).sum(1).mean();
}

}  // namespace seesay::language
