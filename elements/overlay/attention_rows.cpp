// Sizes are checked before anything is drawn: captions may come from another element.
#include "elements/overlay/attention_rows.hpp"

namespace seesay::overlay {

bool has_attention(const language::Caption& caption) {
    const vision::Geometry& geometry = caption.geometry;
    const auto attended = static_cast<std::size_t>(caption.attended > 0 ? caption.attended : 0);
    const bool grid = geometry.kind == vision::Geometry::Kind::Grid;
    const bool covers = geometry.picture_box[0] < geometry.picture_box[2] &&
                        geometry.picture_box[1] < geometry.picture_box[3];
    const std::size_t places =
        !grid ? geometry.boxes.size()
        : geometry.rows > 0 && geometry.columns > 0
            ? static_cast<std::size_t>(geometry.rows) * static_cast<std::size_t>(geometry.columns)
            : 0;
    return attended > 0 && covers && places == attended && !caption.tokens.empty() &&
           caption.attention.size() == caption.tokens.size() * attended;
}

std::vector<float> attention_row(const language::Caption& caption,
                                 std::optional<std::size_t> word) {
    const auto length = static_cast<std::size_t>(caption.attended);
    if (word) {
        const auto begin = caption.attention.begin() + static_cast<std::ptrdiff_t>(*word * length);
        return {begin, begin + static_cast<std::ptrdiff_t>(length)};
    }
    std::vector<float> mean(length, 0.F);
    const float share = 1.F / static_cast<float>(caption.tokens.size());
    for (std::size_t i = 0; i < caption.attention.size(); ++i) {
        mean[i % length] += share * caption.attention[i];
    }
    return mean;
}

}  // namespace seesay::overlay
