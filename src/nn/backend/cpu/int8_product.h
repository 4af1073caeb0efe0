// SPDX-License-Identifier: Apache-2.0
// How 8-bit integers are multiplied. Included by kernels_impl.h only, inside its namespace.
//
// An integer product has what a Product of product.h has, and
//   Sum         what sums are taken in,
//   kMostSteps  how many steps of it are exact, for PackedTiles,
//   kOffset     what Element is larger than the factor of a row,
//   Weight      what a factor of a column is.
#pragma once

constexpr int64_t kEveryStep = int64_t{1} << 40;

// What one step along `in` takes of a column.
template <typename Packed, typename Weight, int64_t kCount>
Packed PackStep(const int8_t (&w)[kCount]) {
  Weight weights[kCount];
  for (int64_t i = 0; i < kCount; ++i) weights[i] = w[i];
  Packed packed;
  static_assert(sizeof(packed) == sizeof(weights));
  __builtin_memcpy(&packed, weights, sizeof(packed));
  return packed;
}

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(CALFVO_AVX512VL_FORM)
// Four products of an unsigned and a signed byte are added in one instruction.
struct VnniProduct {
  using Element = uint8_t;
  using Weight = int8_t;
  using Packed = uint32_t;
  using Sum = IVec;
  static constexpr int64_t kPerStep = 4;
  static constexpr int kOffset = Int8Rows::kZero;

  static IVec MultiplyAdd(Packed a, const Packed* b, IVec sum) {
#if defined(__AVX512VNNI__)
    return reinterpret_cast<IVec>(_mm512_dpbusd_epi32(
        reinterpret_cast<__m512i>(sum), _mm512_set1_epi32(static_cast<int>(a)), _mm512_loadu_si512(b)));
#else
    const __m256i row = _mm256_set1_epi32(static_cast<int>(a));
    const __m256i column = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
#if defined(CALFVO_AVX512VL_FORM)
    asm("vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(row), "xm"(column));
    return sum;
#else
    return reinterpret_cast<IVec>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), row, column));
#endif
#endif
  }
};
#elif defined(__AVX2__) && !defined(__AVX512F__)
// Pairs of 16-bit factors: no sum saturates, as those of pairs of bytes would.
struct MaddProduct {
  using Element = int16_t;
  using Weight = int16_t;
  using Packed = uint32_t;
  using Sum = IVec;
  static constexpr int64_t kPerStep = 2;
  static constexpr int64_t kMostSteps = kEveryStep;
  static constexpr int kOffset = 0;

  static IVec MultiplyAdd(Packed a, const Packed* b, IVec sum) {
    const __m256i row = _mm256_set1_epi32(static_cast<int>(a));
    const __m256i column = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    return sum + reinterpret_cast<IVec>(_mm256_madd_epi16(row, column));
  }
};
#elif defined(CALFVO_NEON) && defined(__ARM_FEATURE_DOTPROD)
// Four products of signed bytes are added in one instruction.
struct DotProduct {
  using Element = int8_t;
  using Weight = int8_t;
  using Packed = uint32_t;
  using Sum = IVec;
  static constexpr int64_t kPerStep = 4;
  static constexpr int64_t kMostSteps = kEveryStep;
  static constexpr int kOffset = 0;

  static IVec MultiplyAdd(Packed a, const Packed* b, IVec sum) {
    const int8x16_t row = vreinterpretq_s8_u32(vdupq_n_u32(a));
    return reinterpret_cast<IVec>(
        vdotq_s32(reinterpret_cast<int32x4_t>(sum), vreinterpretq_s8_u32(vld1q_u32(b)), row));
  }
};
#else
// Integers in floats. A product is at most 127², so that sums of 1024 are exact.
struct FloatIntProduct {
  using Element = float;
  using Weight = float;
  using Packed = float;
  using Sum = Vec;
  static constexpr int64_t kPerStep = 1;
  static constexpr int64_t kMostSteps = 1024;
  static constexpr int kOffset = 0;

  static Vec MultiplyAdd(Packed a, const Packed* b, Vec sum) { return sum + a * Load(b); }
};
#endif

inline IVec ToIntegers(IVec sums) {
  return sums;
}
inline IVec ToIntegers(Vec sums) {
  return __builtin_convertvector(sums, IVec);
}

// Fetches the lines of a tile of y, a row in every fourth step: all at once would fill the buffers that loads
// need.
struct SpreadPrefetch {
  const char* row;
  int64_t stride;
  int64_t rows;
  int64_t bytes;  // of a row

  [[gnu::always_inline]] inline void RunStep(int64_t step) {
    if (step % 4 != 0 || rows == 0) return;
    for (int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(row + line, 1);
    row += stride;
    --rows;
  }
};

// How panels of weights are laid out for an integer product in vector registers.
template <typename Product>
struct VectorTiles {
  using Element = typename Product::Element;
  using Packed = typename Product::Packed;
  static constexpr int64_t kRows = kRowTile;  // that are multiplied at once
  static constexpr int64_t kPerStep = Product::kPerStep;
  static constexpr int kOffset = Product::kOffset;

  // What a task does before and after its products.
  static void Begin() {}
  static void End() {}

  static int64_t StepsOf(int64_t in) { return Steps<Product>(in); }
  static Packed PackWeights(const int8_t (&w)[kPerStep]) {
    return PackStep<Packed, typename Product::Weight>(w);
  }
  // Where in a panel a step of a column is.
  static int64_t PanelIndex(int64_t step, int64_t column) { return step * kPanel + column; }

  static double PeakOperations(int64_t steps) { return PeakFlop<Product, typename Product::Sum>(steps); }
};

// Rows of x are packed, then multiplied. kernels_amx.cc has the same for tiles.
template <typename Product>
struct PackedTiles : VectorTiles<Product> {
  using typename VectorTiles<Product>::Element;
  using typename VectorTiles<Product>::Packed;
  using Sum = typename Product::Sum;
  using Operand = Packed;  // what Multiply takes rows as
  using VectorTiles<Product>::kRows;
  using VectorTiles<Product>::kOffset;

  // `count` rows of `in` bytes, `stride` apart, to a tile. `elements` is space for kRows · in of them.
  static void PackTile(const uint8_t* bytes, int64_t count, int64_t stride, int64_t in, Element* elements,
                       Packed* to) {
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < in; ++i) {
        elements[r * in + i] =
            static_cast<Element>(static_cast<int>(bytes[r * stride + i]) - (Int8Rows::kZero - kOffset));
      }
    }
    PackRows<Product>(elements, count, in, in, kRows, to);
  }

  static void Multiply(const Packed* rows, int64_t /*stride*/, const Packed* panel, int64_t steps,
                       IVec (&sums)[kRows][kPanelVectors], const SpreadPrefetch& prefetch) {
    if constexpr (Product::kMostSteps == kEveryStep) {
      MultiplyTile<Product>(rows, kRows, panel, steps, sums, prefetch);
      return;
    }
    for (int64_t first = 0; first < steps; first += Product::kMostSteps) {
      const int64_t left = steps - first;
      Sum part[kRows][kPanelVectors];
      MultiplyTile<Product>(rows + first * kRows, kRows, panel + first * kPanel,
                            left < Product::kMostSteps ? left : Product::kMostSteps, part);
      for (int64_t r = 0; r < kRows; ++r) {
        for (int64_t v = 0; v < kPanelVectors; ++v) {
          sums[r][v] = ToIntegers(part[r][v]) + (first == 0 ? IVec{} : sums[r][v]);
        }
      }
    }
  }
};

// Rows of x are multiplied where they are: factors of the product are bytes. Bytes beyond `in` meet weights
// that are zero.
template <typename Product>
struct ByteTiles : VectorTiles<Product> {
  using typename VectorTiles<Product>::Packed;
  using Operand = uint8_t;
  using VectorTiles<Product>::kRows;
  static_assert(kRows % 3 == 0);

  // `rows` are `stride` apart.
  static void Multiply(const uint8_t* rows, int64_t stride, const Packed* panel, int64_t steps,
                       IVec (&sums)[kRows][kPanelVectors], SpreadPrefetch prefetch) {
    // Three rows from a pointer each: an address has one more register, once or twice.
    const uint8_t* threes[kRows / 3];
    for (int64_t i = 0; i < kRows / 3; ++i) threes[i] = rows + 3 * i * stride;
    IVec local[kRows][kPanelVectors] = {};
    for (int64_t step = 0; step < steps; ++step) {
      prefetch.RunStep(step);
#pragma GCC unroll 16
      for (int row = 0; row < kRows; ++row) {
        Packed bytes;
        __builtin_memcpy(&bytes, threes[row / 3] + row % 3 * stride, sizeof(bytes));
#pragma GCC unroll 4
        for (int v = 0; v < kPanelVectors; ++v) {
          local[row][v] = Product::MultiplyAdd(bytes, panel + v * kLanes, local[row][v]);
        }
      }
      for (const uint8_t*& first : threes) first += Product::kPerStep;
      panel += kPanel;
    }
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) sums[row][v] = local[row][v];
    }
  }
};

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(CALFVO_AVX512VL_FORM)
using Int8Tiles = ByteTiles<VnniProduct>;
#elif defined(__AVX2__) && !defined(__AVX512F__)
using Int8Tiles = PackedTiles<MaddProduct>;
#elif defined(CALFVO_NEON) && defined(__ARM_FEATURE_DOTPROD)
using Int8Tiles = PackedTiles<DotProduct>;
#else
using Int8Tiles = PackedTiles<FloatIntProduct>;
#endif
