// SPDX-License-Identifier: Apache-2.0
// Buffers, vectors and typed access to matrices for backends in host memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "nn/backend/backend.h"
#include "nn/tensor/tensor.h"

namespace calfvo {

class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(size_t bytes)
      : data_(static_cast<std::byte*>(::operator new (bytes > 0 ? bytes : 1, std::align_val_t{64}))) {}
  ~HostBuffer() override { ::operator delete (data_, std::align_val_t{64}); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  std::byte* data() override { return data_; }

 private:
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
