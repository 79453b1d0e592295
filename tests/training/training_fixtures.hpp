// A small captioned data set of coloured squares, and a source of features that needs no network.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/training/feature_cache.hpp"

namespace seesay::training {

/// Writes `count` pictures (PNG, 32×32, one colour each) as p0.png, p1.png … and captions.tsv with
/// two captions each.
void write_data_set(const std::filesystem::path& folder, int count);

/// Writes lines to a file.
void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines);

/// Features that are the mean colours of the input's quarters: 4 places of 3 numbers. Counts what
/// it encodes.
class QuarterColours : public FeatureSource {
 public:
    QuarterColours();
    [[nodiscard]] std::string identity() const override { return "quarter colours"; }
    [[nodiscard]] int places() const override { return 4; }
    [[nodiscard]] int dimension() const override { return 3; }
    [[nodiscard]] const vision::Preprocessing& preprocessing() const override {
        return preprocessing_;
    }
    void encode(std::span<const vision::Image> images, float* out) override;

    int encoded = 0;      ///< pictures so far
    int fail_after = -1;  ///< throw once so many are encoded; -1: never

 private:
    vision::Preprocessing preprocessing_;
};

}  // namespace seesay::training
