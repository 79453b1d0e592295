// AlignedFloats: a buffer of floats on cache lines, as the step kernels read and write them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace seesay::language {

/// Rows are padded to whole multiples of this many floats (one cache line, one AVX-512 register).
inline constexpr int kLanes = 16;

/// `size` rounded up to a multiple of kLanes.
constexpr int padded(int size) {
    return (size + kLanes - 1) / kLanes * kLanes;
}

/// Owns floats at an address divisible by 64. Shrinking keeps the memory.
class AlignedFloats {
 public:
    AlignedFloats() = default;
    explicit AlignedFloats(std::size_t size) { resize(size); }

    /// Makes room for `size` floats, all zero afterwards.
    void resize(std::size_t size) {
        if (size > capacity_) {
            memory_.reset(static_cast<float*>(
                ::operator new (size * sizeof(float), std::align_val_t{kAlignment})));
            capacity_ = size;
        }
        size_ = size;
        std::fill_n(memory_.get(), size_, 0.F);
    }

    [[nodiscard]] float* data() { return memory_.get(); }
    [[nodiscard]] const float* data() const { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// The row `index` of rows of `stride` floats.
    [[nodiscard]] float* row(int index, int stride) { return data() + offset(index, stride); }
    [[nodiscard]] const float* row(int index, int stride) const {
        return data() + offset(index, stride);
    }
    void swap(AlignedFloats& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

 private:
    static constexpr std::size_t kAlignment = 64;
    static std::size_t offset(int index, int stride) {
        return static_cast<std::size_t>(index) * static_cast<std::size_t>(stride);
    }
    struct Free {
        void operator()(float* memory) const {
            ::operator delete (memory, std::align_val_t{kAlignment});
        }
    };
    std::unique_ptr<float, Free> memory_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace seesay::language
