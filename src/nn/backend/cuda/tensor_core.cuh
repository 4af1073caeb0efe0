// SPDX-License-Identifier: Apache-2.0
// The instructions of the tensor cores that attention needs, on 16×8×16 tiles of bf16 with f32 sums.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace calfvo::cuda {

// sum (16×8) += a (16×16) · b (16×8). Lane l holds of `sum` rows l/4 and l/4 + 8, columns 2(l%4) and the
// next; of `a` the same rows and columns, then those 8 columns further; of `b` column l/4, rows as a's
// columns.
__device__ inline void MultiplyAdd(const uint32_t (&a)[4], uint32_t b0, uint32_t b1, float (&sum)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four 8×8 tiles out of shared memory, transposed; lane l names row l%8 of tile l/8 as it lies there. Lane l
// receives of each transposed tile row l/4, columns 2(l%4) and the next.
__device__ inline void LoadTilesTransposed(const void* row, uint32_t (&tiles)[4]) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
               : "r"(address));
}

// Transposes an 8×8 tile of which every lane holds row l/4, columns 2(l%4) and the next.
__device__ inline uint32_t Transposed(uint32_t tile) {
  uint32_t transposed;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(transposed) : "r"(tile));
  return transposed;
}

// 16 bytes from global to shared memory, in the background; nothing is read and zeros are written unless
// `present`.
__device__ inline void CopyAsync(void* to, const void* from, bool present) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  const int bytes = present ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
}
__device__ inline void WaitForCopies() {
  asm volatile("cp.async.wait_all;");
}

// Sixteen elements as pairs, in two loads.
struct Sixteen {
  uint32_t pairs[8];
};
__device__ inline Sixteen LoadSixteen(const __nv_bfloat16* from) {
  const auto* vectors = reinterpret_cast<const uint4*>(from);
  const uint4 a = vectors[0], b = vectors[1];
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

__device__ inline uint32_t Pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}
__device__ inline float2 Unpack(uint32_t pair) {
  return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
}

}  // namespace calfvo::cuda
