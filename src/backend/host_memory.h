// SPDX-License-Identifier: Apache-2.0
// What backends that work in host memory share: buffers, vectors, typed access to matrices.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "backend/backend.h"
#include "tensor/tensor.h"

namespace calfvo {

// Large ones are in large pages where the system has some: kernels go through megabytes in an order in which
// they would need the address of another small page every few hundred cycles.
class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(size_t bytes)
      : alignment_(bytes < static_cast<size_t>(kLargePage) ? kLine : kLargePage),
        data_(static_cast<std::byte*>(::operator new(bytes > 0 ? bytes : 1, alignment_))) {
#if defined(MADV_HUGEPAGE)
    // What cannot be had is done without.
    if (alignment_ == kLargePage) static_cast<void>(::madvise(data_, bytes, MADV_HUGEPAGE));
#endif
  }
  ~HostBuffer() override {
    ::operator delete(data_, alignment_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  std::byte* data() override {
    return data_;
  }

 private:
  static constexpr std::align_val_t kLine{64};
  static constexpr std::align_val_t kLargePage{size_t{2} << 20};

  std::align_val_t alignment_;
  std::byte* data_;
};

class HostVector final : public VectorWeights {
 public:
  // Any float dtype.
  explicit HostVector(const TensorView& values) {
    const Tensor converted = ToF32(values);
    values_.assign(converted.Data<float>().begin(), converted.Data<float>().end());
  }
  const float* data() const { return values_.data(); }

 private:
  std::vector<float> values_;
};

inline const float* VectorData(const VectorWeights& weights) {
  return static_cast<const HostVector&>(weights).data();
}

// Between f32 and the element type of activations.
template <typename Element>
Element FromFloat(float value);
template <>
inline float FromFloat<float>(float value) {
  return value;
}
template <>
inline BFloat16 FromFloat<BFloat16>(float value) {
  return ToBFloat16(value);
}
inline float ToFloat(float value) {
  return value;
}

template <typename Element, Role role>
Element* RowPointer(const MatrixView<role>& matrix, int64_t row) {
  return reinterpret_cast<Element*>(matrix.data) + row * matrix.cols;
}

}  // namespace calfvo
