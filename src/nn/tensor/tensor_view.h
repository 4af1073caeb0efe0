// SPDX-License-Identifier: Apache-2.0
// A borrowed, read-only, row-major array.
#pragma once

#include <cstddef>
#include <span>

#include "nn/tensor/dtype.h"
#include "nn/tensor/shape.h"

namespace calfvo {

// Borrows: the owner of the bytes (a Tensor, or the WeightSource that mapped a file) must outlive the view.
// The data is contiguous and aligned for its dtype, which the constructor checks, so that typed access is
// always defined; it need not be aligned any better than that.
class TensorView {
 public:
  // An F32 view of no elements.
  TensorView() : shape_({0}) {}

  // `data` holds shape.element_count() elements; throws Error if it is not aligned.
  TensorView(const void* data, DType dtype, const Shape& shape);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  size_t byte_size() const { return static_cast<size_t>(shape_.element_count()) * DTypeSize(dtype_); }
  std::span<const std::byte> bytes() const { return {data_, byte_size()}; }

  // The elements; throws Error unless HoldsType<T>(dtype()).
  template <typename T>
  std::span<const T> Data() const {
    if (!HoldsType<T>(dtype_)) ThrowWrongType(sizeof(T));
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(shape_.element_count())};
  }

 private:
  [[noreturn]] void ThrowWrongType(size_t wanted_size) const;

  const std::byte* data_ = nullptr;
  DType dtype_ = DType::kF32;
  Shape shape_;
};

}  // namespace calfvo
