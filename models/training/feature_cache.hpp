// FeatureCache: what a frozen (part of an) encoder gives for every view of every picture, computed
// once, on disk.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/training/caption_data.hpp"
#include "models/vision/image.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::training {

/// What computes the cached vectors: a whole encoder, or the lower part of one that is being tuned.
class FeatureSource {
 public:
    virtual ~FeatureSource() = default;
    /// Names the values completely: encoder hash, layer. Part of the cache's key.
    [[nodiscard]] virtual std::string identity() const = 0;
    [[nodiscard]] virtual int places() const = 0;     ///< L
    [[nodiscard]] virtual int dimension() const = 0;  ///< D
    [[nodiscard]] virtual const vision::Preprocessing& preprocessing() const = 0;
    /// Writes `[images.size(), L, D] float32`.
    virtual void encode(std::span<const vision::Image> images, float* out) = 0;
};

/// One view of one picture.
struct ViewOfPicture {
    std::size_t picture = 0;  ///< index in the list that the cache was made for
    int view = 0;
};

/// Float16 values in one memory-mapped file a view; extended when a later run asks for more views.
class FeatureCache {
 public:
    /// Pictures done so far, and in all, counted over views.
    using Progress = std::function<void(std::int64_t done, std::int64_t all)>;

    /// Opens the cache below `folder` for these pictures, computing what is missing. A run that is
    /// killed goes on where it stopped. Throws Error.
    static FeatureCache open(const std::filesystem::path& folder,
                             const std::vector<CaptionedPicture>& pictures, FeatureSource& source,
                             int views, std::uint64_t seed, const Progress& progress);

    [[nodiscard]] int views() const { return static_cast<int>(files_.size()); }
    [[nodiscard]] int places() const { return places_; }
    [[nodiscard]] int dimension() const { return dimension_; }

    /// `[wanted.size(), L, D] float32`.
    [[nodiscard]] at::Tensor batch(std::span<const ViewOfPicture> wanted) const;

 private:
    struct Mapping;
    int places_ = 0;
    int dimension_ = 0;
    std::vector<std::shared_ptr<Mapping>> files_;
};

}  // namespace seesay::training
