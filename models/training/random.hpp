// Random numbers that are the same on every machine and need no state to be saved: drawn from a
// hash of what they are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace seesay::training {

/// SplitMix64 (Steele, Lea and Flood 2014): a small generator whose whole state is its seed.
class Random {
 public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// 0…count − 1; the bias of the remainder is below 2⁻³² for the counts used here.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i) {
            std::swap(values[i - 1], values[below(i)]);
        }
    }

 private:
    std::uint64_t state_;
};

/// A seed for one purpose: mixes a seed with numbers (epoch, step, …).
inline std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
    Random first(seed ^ (a * 0xD1342543DE82EF95ULL));
    Random second(first.next() ^ (b * 0xAF251AF3B0F025B5ULL));
    return second.next();
}

/// FNV-1a of a name, for mix_seed.
inline std::uint64_t hash_name(std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return hash;
}

}  // namespace seesay::training
