// SPDX-License-Identifier: Apache-2.0
// Element types of tensors, under the names that safetensors files give them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "nn/tensor/half.h"

namespace calfvo {

// Every type whose elements take whole bytes. The network computes with the floats of 16 and 32 bits; the
// others are recognised so that files which hold them beside the wanted tensors can be read.
enum class DType : uint8_t {
  kF64,
  kF32,
  kF16,
  kBF16,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool,  // one byte each; read as uint8_t, since a file may hold other bytes than 0 and 1
  kC64,   // complex: two F32
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
};

// "F32", "BF16", …
std::string_view DTypeName(DType dtype);

// The inverse of DTypeName, or nothing. Types of 4 and 6 bits are not known.
std::optional<DType> DTypeFromName(std::string_view name);

// Bytes per element.
size_t DTypeSize(DType dtype);

// What the address of an element must be a multiple of.
size_t DTypeAlignment(DType dtype);

// F64, F32, F16 and BF16.
bool IsFloat(DType dtype);

namespace detail {
template <typename T>
inline constexpr DType kDTypeOf = T::there_is_no_dtype_for_this_type;
template <>
inline constexpr DType kDTypeOf<double> = DType::kF64;
template <>
inline constexpr DType kDTypeOf<float> = DType::kF32;
template <>
inline constexpr DType kDTypeOf<Float16> = DType::kF16;
template <>
inline constexpr DType kDTypeOf<BFloat16> = DType::kBF16;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kI64;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kI32;
template <>
inline constexpr DType kDTypeOf<int16_t> = DType::kI16;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kI8;
template <>
inline constexpr DType kDTypeOf<uint64_t> = DType::kU64;
template <>
inline constexpr DType kDTypeOf<uint32_t> = DType::kU32;
template <>
inline constexpr DType kDTypeOf<uint16_t> = DType::kU16;
}  // namespace detail

// Whether elements of `dtype` may be read as T: the C++ number of that name, Float16, BFloat16, and uint8_t
// for BOOL and the 8-bit floats too. Other T do not compile.
template <typename T>
bool HoldsType(DType dtype) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return DTypeSize(dtype) == 1 && dtype != DType::kI8;
  } else {
    return dtype == detail::kDTypeOf<T>;
  }
}

}  // namespace calfvo
