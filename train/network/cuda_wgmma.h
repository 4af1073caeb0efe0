// SPDX-License-Identifier: Apache-2.0
// Products of bf16 on the tensor cores of Hopper, 64 rows by up to 64 columns into f32, the work of four
// warps together, which all call the same. They run beside the program: between StartProducts and
// WaitForProducts sums and factors belong to them. Included by *.cu files only, compiled for sm_90a.
//
// Warp i of the four has rows 16i to 16i + 15 of the sums and of a first factor in registers; each lane has
// what Lane says, for every eight columns its row's two and those of the row eight below.
#pragma once

#include <cstdint>

namespace calfvo::train {

// Rows of 64 elements in shared memory, from a multiple of 1024 bytes on; the 16-byte parts of a row change
// places with it: part p of row r is the (p ^ r % 8)th.
class WideRows {
 public:
  __device__ explicit WideRows(uint32_t shared_address)
      : low_((shared_address & 0x3FFFFU) >> 4 | kEightRows << 16) {}

  // Rows from `row` on, a multiple of eight: columns from 16·step on if rows are a factor's rows or columns
  // ("K-major"), or sixteen rows that are summed over.
  __device__ uint64_t From(int row, int step = 0) const {
    return uint64_t{kEightRows | kSwizzle128} << 32 | (low_ + static_cast<uint32_t>(row * 8 + step * 2));
  }

 private:
  static constexpr uint32_t kEightRows = 8 * 128 / 16;  // the distance of such groups, in 16 bytes
  static constexpr uint32_t kSwizzle128 = 1U << 30;
  uint32_t low_;
};

// Before the first product, and after registers have been written that the next ones take.
inline __device__ void StartProducts() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
inline __device__ void CommitProducts() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int kTiles>
__device__ void Pin(float (&sums)[kTiles][4]) {
#pragma unroll
  for (auto& tile : sums) {
#pragma unroll
    for (float& sum : tile) asm volatile("" : "+f"(sum)::"memory");
  }
}

// All products are done but those of the last kLeft commits; `sums` may be used.
template <int kLeft, typename... Sums>
__device__ void WaitForProducts(Sums&... sums) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
  (Pin(sums), ...);
}

// What this thread has written to shared memory is for products, too. Before a barrier.
inline __device__ void ShareWithProducts() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#define CALFVO_TILE(i) "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])

// sums [64][8 · tiles] = a · bᵀ, added to sums if `add`: 64 rows and 8 · tiles rows, sixteen columns of each.
inline __device__ void MultiplyAsync(float (&sums)[2][4], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %10, 0; "
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, add, "
      "1, 1, 0, 0; }"
      : CALFVO_TILE(0), CALFVO_TILE(1)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

inline __device__ void MultiplyAsync(float (&sums)[4][4], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %18, 0; "
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15}, %16, %17, add, 1, 1, 0, 0; }"
      : CALFVO_TILE(0), CALFVO_TILE(1), CALFVO_TILE(2), CALFVO_TILE(3)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

inline __device__ void MultiplyAsync(float (&sums)[8][4], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %34, 0; "
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
      "%31}, %32, %33, add, 1, 1, 0, 0; }"
      : CALFVO_TILE(0), CALFVO_TILE(1), CALFVO_TILE(2), CALFVO_TILE(3), CALFVO_TILE(4), CALFVO_TILE(5),
        CALFVO_TILE(6), CALFVO_TILE(7)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// Likewise with the first factor in registers.
inline __device__ void MultiplyAsync(float (&sums)[8][4], const uint32_t (&a)[4], uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %37, 0; "
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
      "%31}, {%32, %33, %34, %35}, %36, add, 1, 1, 0; }"
      : CALFVO_TILE(0), CALFVO_TILE(1), CALFVO_TILE(2), CALFVO_TILE(3), CALFVO_TILE(4), CALFVO_TILE(5),
        CALFVO_TILE(6), CALFVO_TILE(7)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)));
}

// sums [64][64] += a · b, sixteen rows of b.
inline __device__ void AddProductAsync(float (&sums)[8][4], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
      "%31}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
      : CALFVO_TILE(0), CALFVO_TILE(1), CALFVO_TILE(2), CALFVO_TILE(3), CALFVO_TILE(4), CALFVO_TILE(5),
        CALFVO_TILE(6), CALFVO_TILE(7)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#undef CALFVO_TILE

}  // namespace calfvo::train
