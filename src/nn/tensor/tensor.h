// SPDX-License-Identifier: Apache-2.0
// An array that owns its memory, and conversions that make one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "nn/tensor/tensor_view.h"

namespace calfvo {

// Owns row-major elements in memory aligned to kAlignment (a cache line, an AVX-512 register). Move-only; a
// copy is written out as CopyOf(tensor.view()). A moved-from tensor may only be destroyed or assigned to.
class Tensor {
 public:
  static constexpr size_t kAlignment = 64;

  // All elements zero. Throws Error if the allocation fails.
  Tensor(DType dtype, const Shape& shape);

  // Uninitialised elements.
  static Tensor Uninitialized(DType dtype, const Shape& shape);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }

  // Borrows from this tensor, and stays valid when it is moved.
  TensorView view() const { return {data_.get(), dtype_, shape_}; }

  std::span<std::byte> mutable_bytes() { return {data_.get(), view().byte_size()}; }

  // The elements; throws Error unless HoldsType<T>(dtype()).
  template <typename T>
  std::span<const T> Data() const {
    return view().Data<T>();
  }
  template <typename T>
  std::span<T> MutableData() {
    const auto data = view().Data<T>();
    return {const_cast<T*>(data.data()), data.size()};
  }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };

  Tensor() = default;

  std::unique_ptr<std::byte[], Free> data_;
  DType dtype_ = DType::kF32;
  Shape shape_;
};

// A copy of the elements.
Tensor CopyOf(const TensorView& view);

// The same values as another float type; both are F64, F32, F16 or BF16, anything else throws Error. Rounds
// to nearest even. Between F64 and the 16-bit types values pass through F32, so that F64 is rounded twice.
Tensor ConvertTo(DType dtype, const TensorView& view);

inline Tensor ToF32(const TensorView& view) {
  return ConvertTo(DType::kF32, view);
}

}  // namespace calfvo
