// SPDX-License-Identifier: Apache-2.0
// Products of bf16 on tensor cores, 16 × 16 by 16 × 8 into f32, one warp's work. Included by *.cu files only.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace calfvo::train {

// Each lane's place in the fragments of a product, as PTX's documentation of mma has it.
struct Lane {
  int group;  // of four lanes: a row, or a column of the second factor
  int place;  // in the group: two neighbouring columns of each eight

  __device__ Lane()
      : group(static_cast<int>(threadIdx.x) % 32 / 4), place(static_cast<int>(threadIdx.x) % 4) {}
};

inline __device__ uint32_t PackedPair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

// Of a row's two columns in an even tile of eight columns and two in the odd one after it, four side by side:
// lanes exchange with their neighbours.
inline __device__ uint2 FourColumns(const Lane& lane, uint32_t even, uint32_t odd) {
  const bool is_odd = lane.place % 2 != 0;
  const uint32_t other = __shfl_xor_sync(0xFFFFFFFFU, is_odd ? even : odd, 1);
  return is_odd ? make_uint2(other, odd) : make_uint2(even, other);
}
// Which columns, from those of the even tile on.
inline __device__ int FirstOfFour(const Lane& lane) {
  return lane.place % 2 * 8 + lane.place / 2 * 4;
}

// sums += a · b. A lane has of `a` its row's two columns, those of the row eight below, then both eight
// columns on; of `b` its column's two rows, and those eight below; of the sums its row's two columns, and
// those of the row eight below.
inline __device__ void Multiply16(float (&sums)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                  uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

inline __device__ uint32_t SharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

}  // namespace calfvo::train
