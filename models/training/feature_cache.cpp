// The cache's files: <folder>/<key>/view-N.f16, [pictures, L, D] float16, and view-N.done while it
// grows.
#include "models/training/feature_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "models/error.hpp"
#include "models/training/views.hpp"
#include "models/vision/image_file.hpp"
#include "models/weights/sha256.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatch = 8;

// Pictures by name and content, and the seed of the views: another picture under the same name is
// another cache.
std::string cache_key(const std::vector<CaptionedPicture>& pictures, const FeatureSource& source,
                      std::uint64_t seed) {
    weights::Sha256 sum;
    sum.update(source.identity() + '\n' + std::to_string(seed) + '\n');
    for (const auto& picture : pictures) {
        sum.update(picture.name + '\t' + weights::sha256_of_file(picture.file) + '\n');
    }
    return sum.finish().substr(0, 24);
}

std::size_t read_done(const fs::path& file) {
    std::ifstream stream(file);
    std::size_t done = 0;
    stream >> done;
    return stream ? done : 0;
}

void write_done(const fs::path& file, std::size_t done) {
    const fs::path temporary = file.string() + ".part";
    {
        std::ofstream stream(temporary);
        stream << done << '\n';
    }
    fs::rename(temporary, file);
}

}  // namespace

struct FeatureCache::Mapping {
    Mapping(const fs::path& file, std::size_t bytes) : size(bytes) {
        const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor < 0) {
            throw Error(file.string() + ": cannot open the feature cache: " + std::strerror(errno));
        }
        // Reserving the blocks now turns a full disk into an error here instead of a SIGBUS later.
        const int failed = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
        void* memory =
            failed != 0 ? MAP_FAILED
                        : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        ::close(descriptor);
        if (memory == MAP_FAILED) {
            throw Error(
                file.string() + ": cannot reserve " + std::to_string(bytes >> 20) +
                " MiB for the feature cache: " + std::strerror(failed != 0 ? failed : errno));
        }
        data = static_cast<c10::Half*>(memory);
    }
    ~Mapping() { ::munmap(data, size); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    c10::Half* data = nullptr;
    std::size_t size = 0;
};

FeatureCache FeatureCache::open(const fs::path& folder,
                                const std::vector<CaptionedPicture>& pictures,
                                FeatureSource& source, int views, std::uint64_t seed,
                                const Progress& progress) {
    FeatureCache cache;
    cache.places_ = source.places();
    cache.dimension_ = source.dimension();
    const std::size_t numbers = static_cast<std::size_t>(cache.places_) * cache.dimension_;
    const fs::path place = folder / cache_key(pictures, source, seed);
    fs::create_directories(place);
    const auto all = static_cast<std::int64_t>(pictures.size()) * views;
    for (int view = 0; view < views; ++view) {
        const std::string stem = "view-" + std::to_string(view);
        auto mapping = std::make_shared<Mapping>(place / (stem + ".f16"),
                                                 pictures.size() * numbers * sizeof(c10::Half));
        const fs::path counter = place / (stem + ".done");
        std::size_t done = read_done(counter);
        std::vector<vision::Image> images;
        at::Tensor values =
            torch::empty({static_cast<std::int64_t>(kBatch), cache.places_, cache.dimension_});
        while (done < pictures.size()) {
            images.clear();
            for (std::size_t i = done; i < std::min(done + kBatch, pictures.size()); ++i) {
                images.push_back(render_view(vision::read_image(pictures[i].file),
                                             make_view(seed, pictures[i].name, view),
                                             source.preprocessing()));
            }
            source.encode(images, values.data_ptr<float>());
            const at::Tensor half =
                values.narrow(0, 0, static_cast<std::int64_t>(images.size())).to(torch::kHalf);
            std::memcpy(mapping->data + done * numbers, half.data_ptr<c10::Half>(),
                        images.size() * numbers * sizeof(c10::Half));
            done += images.size();
            if (done % (kBatch * 32) == 0 || done == pictures.size()) {
                write_done(counter, done);
            }
            if (progress) {
                progress(static_cast<std::int64_t>(view * pictures.size() + done), all);
            }
        }
        cache.files_.push_back(std::move(mapping));
    }
    return cache;
}

at::Tensor FeatureCache::batch(std::span<const ViewOfPicture> wanted) const {
    const std::size_t numbers = static_cast<std::size_t>(places_) * dimension_;
    at::Tensor half =
        torch::empty({static_cast<std::int64_t>(wanted.size()), places_, dimension_}, torch::kHalf);
    auto* out = half.data_ptr<c10::Half>();
    for (const auto& one : wanted) {
        std::memcpy(out, files_.at(one.view)->data + one.picture * numbers,
                    numbers * sizeof(c10::Half));
        out += numbers;
    }
    return half.to(torch::kFloat);
}

}  // namespace seesay::training
