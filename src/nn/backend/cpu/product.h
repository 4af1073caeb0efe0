// SPDX-License-Identifier: Apache-2.0
// How matrices are packed and tiles of them multiplied. Included by kernels_impl.h only, inside its
// namespace.
#pragma once

#if defined(__AVX512F__)
constexpr int64_t kRowTile = 12;
#else
constexpr int64_t kRowTile = 6;
#endif
#if defined(CALFVO_NEON)
constexpr int kPanelVectors = 4;  // with six rows 24 sums in 32 registers
#else
constexpr int kPanelVectors = 2;
#endif
constexpr int64_t kPanel = kPanelVectors * kLanes;

constexpr int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// How elements are multiplied: f32 one at a time, bf16 in pairs whose two products are added in one
// instruction.
struct F32Product {
  using Element = float;
  using Packed = float;  // what one step along `in` takes of a row or a column
  static constexpr int64_t kPerStep = 1;
  static Packed Take(const float* x, int64_t /*left*/) { return *x; }
  static Vec MultiplyAdd(Packed a, const Packed* b, Vec sum) { return sum + a * Load(b); }
  // What one step takes of a vector of columns.
  static void StoreStep(Packed* to, const Vec (&rows)[kPerStep]) { Store(to, rows[0]); }
};

#if defined(__AVX512BF16__)
struct Bf16Product {
  using Element = BFloat16;
  using Packed = uint32_t;
  static constexpr int64_t kPerStep = 2;
  static Packed Take(const BFloat16* x, int64_t left) {
    if (left < 2) return x[0].bits;
    Packed pair;
    __builtin_memcpy(&pair, x, sizeof(pair));
    return pair;
  }
  static Vec MultiplyAdd(Packed a, const Packed* b, Vec sum) {
    const __m512i pairs = _mm512_loadu_si512(b);
    return reinterpret_cast<Vec>(
        _mm512_dpbf16_ps(reinterpret_cast<__m512>(sum), reinterpret_cast<__m512bh>(pairs),
                         reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a)))));
  }
  static void StoreStep(Packed* to, const Vec (&rows)[kPerStep]) {
    const UVec pairs = Widen(ToHalf(rows[0])) | Widen(ToHalf(rows[1])) << 16;
    __builtin_memcpy(to, &pairs, sizeof(pairs));
  }
};
#endif

// Whether products are those of neon_product.h.
template <typename Product>
constexpr bool kMultipliesBlocks = sizeof(typename Product::Packed) == 8;

template <typename Product>
int64_t Steps(int64_t in) {
  return (in + Product::kPerStep - 1) / Product::kPerStep;
}

template <typename Product>
size_t PanelSize(int64_t in) {
  return static_cast<size_t>(Steps<Product>(in) * kPanel) * sizeof(typename Product::Packed);
}

template <typename Product>
size_t PackedSize(int64_t out, int64_t in) {
  return static_cast<size_t>(RoundUp(out, kPanel) / kPanel) * PanelSize<Product>(in);
}

inline float ToElement(float value, const float* /*type*/) {
  return value;
}
inline BFloat16 ToElement(float value, const BFloat16* /*type*/) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

template <typename Product>
void Pack(const float* weight, int64_t out, int64_t in, void* packed) {
  using Element = typename Product::Element;
  auto* to = static_cast<typename Product::Packed*>(packed);
  for (int64_t first = 0; first < out; first += kPanel) {
    for (int64_t k = 0; k < in; k += Product::kPerStep) {
      for (int64_t column = first; column < first + kPanel; ++column) {
        Element elements[Product::kPerStep] = {};
        for (int64_t i = 0; column < out && i < Product::kPerStep && k + i < in; ++i) {
          elements[i] = ToElement(weight[column * in + k + i], elements);
        }
        *to++ = Product::Take(elements, Product::kPerStep);
      }
    }
  }
}

// Up to a vector of words; those beyond `count` elements are zero.
template <typename Product>
inline Vec LoadWords(const typename Product::Element* x, int64_t count) {
  constexpr int64_t kElements = kLanes * Product::kPerStep;
  Vec words = {};
  __builtin_memcpy(&words, x, static_cast<size_t>(count < kElements ? count : kElements) * sizeof(*x));
  return words;
}

// `rows` rows of `in` elements, `stride` apart, become the columns of [steps][width]; columns beyond them are
// zero. Writes whole vectors, and so up to a vector beyond the end.
template <typename Product, std::enable_if_t<!kMultipliesBlocks<Product>, int> = 0>
void PackRows(const typename Product::Element* x, int64_t rows, int64_t stride, int64_t in, int64_t width,
              typename Product::Packed* to) {
  const int64_t steps = Steps<Product>(in);
  // From the right: what is written beyond the right edge is the beginning of the next step.
  for (int64_t column = RoundUp(width, kLanes) - kLanes; column >= 0; column -= kLanes) {
    const auto* first = x + column * stride;
    for (int64_t step = 0; step < steps; step += kLanes) {
      const int64_t offset = step * Product::kPerStep;
      Vec block[kLanes];
      if (rows - column >= kLanes && in - offset >= kLanes * Product::kPerStep) {
        for (int64_t i = 0; i < kLanes; ++i)
          __builtin_memcpy(&block[i], first + i * stride + offset, sizeof(Vec));
      } else {
        for (int64_t i = 0; i < kLanes; ++i) {
          block[i] = column + i < rows ? LoadWords<Product>(first + i * stride + offset, in - offset) : Vec{};
        }
      }
      Transpose(block);
      for (int64_t i = 0; i < kLanes && step + i < steps; ++i) {
        __builtin_memcpy(to + (step + i) * width + column, &block[i], sizeof(Vec));
      }
    }
  }
}

struct NothingBeside {
  void RunStep(int64_t /*step*/) {}
};

// sums[row][vector] = rows · panel, over `steps` steps: those of `a` lie `a_stride` apart, those of `b`
// kPanel. Each step also runs `beside`.
template <typename Product, int rows, int vectors, typename Sum, typename Beside = NothingBeside,
          std::enable_if_t<!kMultipliesBlocks<Product>, int> = 0>
inline void MultiplyTile(const typename Product::Packed* a, int64_t a_stride,
                         const typename Product::Packed* b, int64_t steps, Sum (&sums)[rows][vectors],
                         Beside beside = {}) {
  Sum local[rows][vectors] = {};
  for (int64_t k = 0; k < steps; ++k) {
    beside.RunStep(k);
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        local[row][v] = Product::MultiplyAdd(a[row], b + v * kLanes, local[row][v]);
      }
    }
    a += a_stride;
    b += kPanel;
  }
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sums[row][v] = local[row][v];
  }
}
