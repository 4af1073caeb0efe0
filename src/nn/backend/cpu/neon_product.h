// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by BFMMLA, which multiplies two rows by two columns, four elements of each: what product.h
// does, for blocks of 2 × 2 sums. Included by kernels_impl.h only, inside its namespace.
#pragma once

#if defined(CALFVO_NEON) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
// One step takes four elements of a row or a column; two rows or columns that follow each other are an
// operand.
struct Bf16Product {
  using Element = BFloat16;
  using Packed = uint64_t;
  static constexpr int64_t kPerStep = 4;
  static Packed Take(const BFloat16* x, int64_t left) {
    Packed four = 0;
    __builtin_memcpy(&four, x, static_cast<size_t>(left < kPerStep ? left : kPerStep) * sizeof(*x));
    return four;
  }
  static void StoreStep(Packed* to, const Vec (&rows)[kPerStep]) {
    Vec columns[kLanes] = {rows[0], rows[1], rows[2], rows[3]};
    Transpose(columns);
    for (int i = 0; i < kLanes; ++i) Store(reinterpret_cast<BFloat16*>(to + i), columns[i]);
  }
};

template <typename Product, std::enable_if_t<kMultipliesBlocks<Product>, int> = 0>
void PackRows(const typename Product::Element* x, int64_t rows, int64_t stride, int64_t in, int64_t width,
              typename Product::Packed* to) {
  const int64_t steps = Steps<Product>(in);
  for (int64_t row = 0; row < width; ++row) {
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t offset = step * Product::kPerStep;
      to[step * width + row] = row < rows ? Product::Take(x + row * stride + offset, in - offset) : 0;
    }
  }
}

inline bfloat16x8_t LoadOperand(const uint64_t* two) {
  bfloat16x8_t operand;
  __builtin_memcpy(&operand, two, sizeof(operand));
  return operand;
}

template <typename Product, int rows, int vectors, std::enable_if_t<kMultipliesBlocks<Product>, int> = 0>
inline void MultiplyTile(const typename Product::Packed* a, int64_t a_stride,
                         const typename Product::Packed* b, int64_t steps, Vec (&sums)[rows][vectors]) {
  static_assert(rows % 2 == 0 && kLanes == 4);
  constexpr int kRowPairs = rows / 2;
  constexpr int kColumnPairs = vectors * 2;
  float32x4_t local[kRowPairs][kColumnPairs] = {};
  for (int64_t k = 0; k < steps; ++k) {
    bfloat16x8_t left[kRowPairs];
#pragma GCC unroll 16
    for (int row = 0; row < kRowPairs; ++row) left[row] = LoadOperand(a + 2 * row);
#pragma GCC unroll 16
    for (int column = 0; column < kColumnPairs; ++column) {
      const bfloat16x8_t right = LoadOperand(b + 2 * column);
#pragma GCC unroll 16
      for (int row = 0; row < kRowPairs; ++row) {
        local[row][column] = vbfmmlaq_f32(local[row][column], left[row], right);
      }
    }
    a += a_stride;
    b += kPanel;
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRowPairs; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Vec first = reinterpret_cast<Vec>(local[row][2 * v]);
      const Vec second = reinterpret_cast<Vec>(local[row][2 * v + 1]);
      sums[2 * row][v] = JoinHalves<2, false>(first, second);
      sums[2 * row + 1][v] = JoinHalves<2, true>(first, second);
    }
  }
}
#endif
