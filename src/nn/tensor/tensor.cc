// SPDX-License-Identifier: Apache-2.0
#include "nn/tensor/tensor.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "calfvo/error.h"

namespace calfvo {

TensorView::TensorView(const void* data, DType dtype, const Shape& shape)
    : data_(static_cast<const std::byte*>(data)), dtype_(dtype), shape_(shape) {
  if (reinterpret_cast<uintptr_t>(data) % DTypeAlignment(dtype) != 0) {
    throw Error(fmt::format("a view of {} {} needs data aligned to {} bytes", DTypeName(dtype),
                            shape.ToString(), DTypeAlignment(dtype)));
  }
}

void TensorView::ThrowWrongType(size_t wanted_size) const {
  throw Error(fmt::format("a tensor of {} {} was read as another type, of {} bytes", DTypeName(dtype_),
                          shape_.ToString(), wanted_size));
}

void Tensor::Free::operator()(std::byte* data) const {
  ::operator delete (data, std::align_val_t{kAlignment});
}

Tensor Tensor::Uninitialized(DType dtype, const Shape& shape) {
  const auto count = static_cast<size_t>(shape.element_count());
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = shape;
  void* data = nullptr;
  if (count <= static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) / DTypeSize(dtype)) {
    data = ::operator new (count* DTypeSize(dtype), std::align_val_t{kAlignment}, std::nothrow);
  }
  if (data == nullptr) {
    throw Error(fmt::format("no memory for a tensor of {} {}", DTypeName(dtype), shape.ToString()));
  }
  tensor.data_.reset(static_cast<std::byte*>(data));
  return tensor;
}

Tensor::Tensor(DType dtype, const Shape& shape) : Tensor(Uninitialized(dtype, shape)) {
  std::memset(data_.get(), 0, view().byte_size());
}

Tensor CopyOf(const TensorView& view) {
  Tensor copy = Tensor::Uninitialized(view.dtype(), view.shape());
  if (view.byte_size() > 0) std::memcpy(copy.mutable_bytes().data(), view.bytes().data(), view.byte_size());
  return copy;
}

namespace {

Tensor AnyToF32(const TensorView& view) {
  Tensor result = Tensor::Uninitialized(DType::kF32, view.shape());
  const auto to = result.MutableData<float>();
  if (view.dtype() == DType::kF16) {
    ToFloat(view.Data<Float16>().data(), to.size(), to.data());
  } else if (view.dtype() == DType::kBF16) {
    ToFloat(view.Data<BFloat16>().data(), to.size(), to.data());
  } else {
    const auto from = view.Data<double>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(from[i]);
  }
  return result;
}

Tensor F32ToAny(DType dtype, const TensorView& view) {
  Tensor result = Tensor::Uninitialized(dtype, view.shape());
  const auto from = view.Data<float>();
  if (dtype == DType::kF16) {
    ToFloat16(from.data(), from.size(), result.MutableData<Float16>().data());
  } else if (dtype == DType::kBF16) {
    ToBFloat16(from.data(), from.size(), result.MutableData<BFloat16>().data());
  } else {
    const auto to = result.MutableData<double>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = from[i];
  }
  return result;
}

}  // namespace

Tensor ConvertTo(DType dtype, const TensorView& view) {
  if (!IsFloat(dtype) || !IsFloat(view.dtype())) {
    throw Error(fmt::format("cannot convert {} {} to {}; expected F64, F32, F16 or BF16 on both sides",
                            DTypeName(view.dtype()), view.shape().ToString(), DTypeName(dtype)));
  }
  if (view.dtype() == dtype) return CopyOf(view);
  if (dtype == DType::kF32) return AnyToF32(view);
  if (view.dtype() == DType::kF32) return F32ToAny(dtype, view);
  return F32ToAny(dtype, AnyToF32(view).view());
}

}  // namespace calfvo
