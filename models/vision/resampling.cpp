// Table construction in double precision, as Pillow computes its coefficients.
#include "models/vision/resampling.hpp"

#include <algorithm>
#include <cmath>

namespace seesay::vision {

ResamplingTable make_resampling_table(int input_size, double start, double end, int output_size) {
    ResamplingTable table{input_size, start, end, output_size, 0, {}, {}, {}};
    const double scale = (end - start) / output_size;
    const double half_width = std::max(scale, 1.0);
    table.taps = (static_cast<int>(std::ceil(half_width)) * 2 + 1 + 7) / 8 * 8;
    table.first.resize(output_size);
    table.count.resize(output_size);
    table.weights.assign(static_cast<std::size_t>(output_size) * table.taps, 0.F);
    std::vector<double> weights(table.taps);
    for (int i = 0; i < output_size; ++i) {
        const double centre = start + (i + 0.5) * scale;
        const int first =
            std::clamp(static_cast<int>(centre - half_width + 0.5), 0, input_size - 1);
        const int last =
            std::clamp(static_cast<int>(centre + half_width + 0.5), first + 1, input_size);
        double sum = 0;
        for (int t = 0; t < last - first; ++t) {
            weights[t] = std::max(0.0, 1.0 - std::abs((first + t + 0.5 - centre) / half_width));
            sum += weights[t];
        }
        table.first[i] = first;
        table.count[i] = last - first;
        for (int t = 0; t < last - first; ++t) {
            table.weights[static_cast<std::size_t>(i) * table.taps + t] =
                static_cast<float>(weights[t] / sum);
        }
    }
    return table;
}

std::shared_ptr<const ResamplingTable> ResamplingTables::get(int input_size, double start,
                                                             double end, int output_size) {
    const auto known =
        std::find_if(latest_first_.begin(), latest_first_.end(), [&](const auto& table) {
            return table->input_size == input_size && table->start == start && table->end == end &&
                   table->output_size == output_size;
        });
    std::shared_ptr<const ResamplingTable> table;
    if (known != latest_first_.end()) {
        table = *known;
        latest_first_.erase(known);
    } else {
        table = std::make_shared<ResamplingTable>(
            make_resampling_table(input_size, start, end, output_size));
        if (latest_first_.size() == capacity) latest_first_.pop_back();
    }
    latest_first_.push_front(table);
    return table;
}

}  // namespace seesay::vision
