// SPDX-License-Identifier: Apache-2.0
// Eight elements at a time, as floats. Included by *.cu files only.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace calfvo::train {

inline constexpr int kVector = 8;

struct Vector {
  float v[kVector];
};

// The same as it lies in memory: nothing waits for a load until it is unpacked.
template <typename T>
struct Packed;
template <>
struct Packed<float> {
  float4 low, high;
};
template <>
struct Packed<__nv_bfloat16> {
  uint4 bits;
};

template <typename T>
__device__ Packed<T> LoadPacked(const T* from) {
  return *reinterpret_cast<const Packed<T>*>(from);
}

inline __device__ Vector Unpacked(const Packed<float>& x) {
  return {{x.low.x, x.low.y, x.low.z, x.low.w, x.high.x, x.high.y, x.high.z, x.high.w}};
}

inline __device__ Vector Unpacked(const Packed<__nv_bfloat16>& x) {
  const uint32_t words[4] = {x.bits.x, x.bits.y, x.bits.z, x.bits.w};
  Vector out;
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // a bf16 is the upper half of a float
    out.v[2 * i] = __uint_as_float(words[i] << 16);
    out.v[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000U);
  }
  return out;
}

template <typename T>
__device__ Vector Load8(const T* from) {
  return Unpacked(LoadPacked(from));
}

inline __device__ void Store8(float* to, const Vector& x) {
  *reinterpret_cast<float4*>(to) = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]);
  *reinterpret_cast<float4*>(to + 4) = make_float4(x.v[4], x.v[5], x.v[6], x.v[7]);
}

inline __device__ void Store8(__nv_bfloat16* to, const Vector& x) {
  __nv_bfloat162 pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(x.v[2 * i], x.v[2 * i + 1]);
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(pairs);
}

inline __device__ float Dot(const Vector& a, const Vector& b) {
  float sum = 0.0F;
#pragma unroll
  for (int i = 0; i < kVector; ++i) sum += a.v[i] * b.v[i];
  return sum;
}

inline __device__ void AddScaled(Vector& sum, float scale, const Vector& x) {
#pragma unroll
  for (int i = 0; i < kVector; ++i) sum.v[i] += scale * x.v[i];
}

// The sum over each run of kLanes lanes (a power of two), in all of them. `mask` names the lanes that call.
template <int kLanes>
__device__ float LaneSum(float value, unsigned mask = 0xFFFFFFFFU) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(mask, value, offset);
  return value;
}

// Lanes kFirst to kLast apart, by powers of two, each have their share of 2 · kKept sums. They split them:
// each ends with whole sums in the first places of `sums`, lane i of them those from i · kCount / lanes on.
// Takes fewer exchanges than every lane getting every sum.
template <int kFirst, int kLast, int kKept, int kCount>
__device__ void SplitSums(float (&sums)[kCount]) {
  const bool upper = (threadIdx.x & static_cast<unsigned>(kFirst)) != 0;
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    const float given = upper ? sums[i] : sums[i + kKept];
    const float kept = upper ? sums[i + kKept] : sums[i];
    sums[i] = kept + __shfl_xor_sync(0xFFFFFFFFU, given, kFirst);
  }
  if constexpr (kFirst > kLast) SplitSums<kFirst / 2, kLast, kKept / 2>(sums);
}

}  // namespace calfvo::train
