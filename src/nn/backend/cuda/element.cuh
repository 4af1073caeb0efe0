// SPDX-License-Identifier: Apache-2.0
// The element types of the GPU's matrices, and vectors of them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace calfvo::cuda {

using BF16 = __nv_bfloat16;
using FP8 = __nv_fp8_e4m3;

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;

// `inverse_scale` is what 8-bit elements are multiplied by before rounding; the others ignore it.
template <typename Element>
__device__ Element Round(float value, float inverse_scale);
template <>
__device__ inline BF16 Round<BF16>(float value, float /*inverse_scale*/) {
  return __float2bfloat16_rn(value);
}
template <>
__device__ inline float Round<float>(float value, float /*inverse_scale*/) {
  return value;
}
template <>
__device__ inline FP8 Round<FP8>(float value, float inverse_scale) {
  return FP8(value * inverse_scale);  // saturates
}

// What 8-bit results are multiplied by; the others have no such scale.
__device__ inline float ScaleOf(const float* inverse_scale) {
  return inverse_scale != nullptr ? *inverse_scale : 1.0F;
}

// Eight elements that are loaded and stored at once.
template <typename Element>
struct alignas(8 * sizeof(Element)) Eight {
  Element at[8];
};

template <typename Element>
__device__ void Load(const Element* from, float (&values)[8]) {
  const Eight<Element> eight = *reinterpret_cast<const Eight<Element>*>(from);
#pragma unroll
  for (int i = 0; i < 8; ++i) values[i] = static_cast<float>(eight.at[i]);
}

template <typename Element>
__device__ void Store(const float (&values)[8], float inverse_scale, Element* to) {
  Eight<Element> eight;
#pragma unroll
  for (int i = 0; i < 8; ++i) eight.at[i] = Round<Element>(values[i], inverse_scale);
  *reinterpret_cast<Eight<Element>*>(to) = eight;
}

__device__ inline float WarpSum(float value) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

__device__ inline float Gelu(float x) {
  return 0.5F * x * (1.0F + erff(x * 0.70710678118654752F));
}

}  // namespace calfvo::cuda
