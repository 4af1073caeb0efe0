// SPDX-License-Identifier: Apache-2.0
// Vectors of the instruction set that the including source is compiled for, through GCC's vector extensions:
// the same code for SSE2, AVX2, AVX-512 and NEON. Included by kernels_impl.h only, inside its namespace.
#pragma once

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef int32_t IVec __attribute__((vector_size(4 * kLanes)));
typedef uint32_t UVec __attribute__((vector_size(4 * kLanes)));
typedef uint16_t HalfVec __attribute__((vector_size(2 * kLanes)));

inline Vec Splat(float value) {
  return Vec{} + value;
}

inline Vec Load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
inline void Store(float* p, Vec v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

// GCC 12 does not find the one instruction for this.
inline UVec Widen(HalfVec half) {
#if defined(__AVX512F__)
  return reinterpret_cast<UVec>(_mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(half)));
#else
  return __builtin_convertvector(half, UVec);
#endif
}

// The lower halves.
inline HalfVec Narrow(UVec words) {
#if defined(__AVX512F__)
  return reinterpret_cast<HalfVec>(_mm512_cvtepi32_epi16(reinterpret_cast<__m512i>(words)));
#else
  return __builtin_convertvector(words, HalfVec);
#endif
}

// bf16 is the upper half of a float; rounding is to nearest even. NaN does not occur: activations are finite,
// or the head throws.
inline Vec Load(const BFloat16* p) {
  HalfVec half;
  __builtin_memcpy(&half, p, sizeof(half));
  return reinterpret_cast<Vec>(Widen(half) << 16);
}
inline HalfVec ToHalf(Vec v) {
#if defined(__AVX512BF16__)
  return reinterpret_cast<HalfVec>(_mm512_cvtneps_pbh(reinterpret_cast<__m512>(v)));
#elif defined(CALFVO_NEON) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  return reinterpret_cast<HalfVec>(vcvt_bf16_f32(reinterpret_cast<float32x4_t>(v)));
#else
  const UVec bits = reinterpret_cast<UVec>(v);
  return __builtin_convertvector((bits + 0x7fff + ((bits >> 16) & 1)) >> 16, HalfVec);
#endif
}
inline void Store(BFloat16* p, Vec v) {
  const HalfVec half = ToHalf(v);
  __builtin_memcpy(static_cast<void*>(p), &half, sizeof(half));
}

// `count` elements, at most a vector's worth; the rest of what is loaded is zero.
template <typename T>
inline void StorePart(T* to, Vec values, int64_t count) {
  if (count >= kLanes) {
    Store(to, values);
    return;
  }
  T elements[kLanes];
  Store(elements, values);
  for (int64_t i = 0; i < count; ++i) to[i] = elements[i];
}
template <typename T>
inline Vec LoadPart(const T* from, int64_t count) {
  if (count >= kLanes) return Load(from);
  T elements[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) elements[i] = from[i];
  return Load(elements);
}

// Where nothing is in panels or tiles, the compiler shall know.
template <bool tiled>
inline MatrixLayout Known(MatrixLayout layout) {
  if constexpr (!tiled) layout.order = MatrixOrder::kRows;
  return layout;
}

// Up to a vector of elements of the row that begins at `row`, from `column` on; the rest of what is loaded is
// zero.
template <typename Element>
inline Vec LoadColumns(const MatrixLayout& layout, const Element* row, int64_t column, int64_t count) {
  if (layout.order == MatrixOrder::kRows ||
      layout.Together<Element>(column) >= (count < kLanes ? count : kLanes)) {
    return LoadPart(row + layout.ColumnOffset<Element>(column), count);
  }
  Element elements[kLanes] = {};
  for (int64_t i = 0; i < kLanes && i < count; ++i)
    elements[i] = row[layout.ColumnOffset<Element>(column + i)];
  return Load(elements);
}
template <typename Element>
inline void StoreColumns(const MatrixLayout& layout, Element* row, int64_t column, Vec values,
                         int64_t count) {
  if (layout.order == MatrixOrder::kRows ||
      layout.Together<Element>(column) >= (count < kLanes ? count : kLanes)) {
    StorePart(row + layout.ColumnOffset<Element>(column), values, count);
    return;
  }
  Element elements[kLanes];
  Store(elements, values);
  for (int64_t i = 0; i < kLanes && i < count; ++i)
    row[layout.ColumnOffset<Element>(column + i)] = elements[i];
}

// Blocks of 2·half lanes: the lower half of each is that of `a` and the upper half the lower one of `b`. With
// `upper`, the same of the upper halves.
template <int half, bool upper, int... lanes>
inline Vec JoinLanes(Vec a, Vec b, std::integer_sequence<int, lanes...> /*all*/) {
  return __builtin_shufflevector(
      a, b, (lanes % (2 * half) < half ? lanes : lanes - half + kLanes) + (upper ? half : 0)...);
}
template <int half, bool upper>
inline Vec JoinHalves(Vec a, Vec b) {
  return JoinLanes<half, upper>(a, b, std::make_integer_sequence<int, kLanes>());
}

template <int half = kLanes / 2>
inline float Sum(Vec v) {
  const Vec sum = JoinHalves<half, false>(v, v) + JoinHalves<half, true>(v, v);
  if constexpr (half > 1) {
    return Sum<half / 2>(sum);
  } else {
    return sum[0];
  }
}

// The vectors are rows and become columns: halves are exchanged, then quarters, and so on.
template <int half = kLanes / 2>
inline void Transpose(Vec (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if (i % (2 * half) >= half) continue;
    const Vec a = rows[i];
    const Vec b = rows[i + half];
    rows[i] = JoinHalves<half, false>(a, b);
    rows[i + half] = JoinHalves<half, true>(a, b);
  }
  if constexpr (half > 1) Transpose<half / 2>(rows);
}

#if defined(__AVX512F__)
// With a mask of all lanes: GCC 12 warns of the form without.
inline Vec Max(Vec a, Vec b) {
  return reinterpret_cast<Vec>(
      _mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
}
inline Vec Min(Vec a, Vec b) {
  return reinterpret_cast<Vec>(_mm512_min_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
}
#elif defined(__AVX2__)
// GCC 12 does not find the one instruction for the minimum.
inline Vec Max(Vec a, Vec b) {
  return reinterpret_cast<Vec>(_mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
}
inline Vec Min(Vec a, Vec b) {
  return reinterpret_cast<Vec>(_mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
}
#elif defined(CALFVO_NEON)
inline Vec Max(Vec a, Vec b) {
  return reinterpret_cast<Vec>(vmaxq_f32(reinterpret_cast<float32x4_t>(a), reinterpret_cast<float32x4_t>(b)));
}
inline Vec Min(Vec a, Vec b) {
  return reinterpret_cast<Vec>(vminq_f32(reinterpret_cast<float32x4_t>(a), reinterpret_cast<float32x4_t>(b)));
}
#else
inline Vec Max(Vec a, Vec b) {
  return a > b ? a : b;
}
inline Vec Min(Vec a, Vec b) {
  return a < b ? a : b;
}
#endif

// Lane i of the result is the sum, or what else `add` makes of two vectors, of the lanes of vectors[i], which
// are overwritten. As Transpose, but halves that would end up in the same lane are added at once.
template <int half = kLanes / 2, typename Add>
inline Vec ReduceEach(Vec (&vectors)[kLanes], const Add& add) {
#pragma GCC unroll 16
  for (int i = 0; i < half; ++i) {
    const Vec a = vectors[i];
    const Vec b = vectors[i + half];
    vectors[i] = add(JoinHalves<half, false>(a, b), JoinHalves<half, true>(a, b));
  }
  if constexpr (half > 1) {
    return ReduceEach<half / 2>(vectors, add);
  } else {
    return vectors[0];
  }
}
inline Vec SumEach(Vec (&vectors)[kLanes]) {
  return ReduceEach(vectors, [](Vec a, Vec b) { return a + b; });
}
inline Vec MaxEach(Vec (&vectors)[kLanes]) {
  return ReduceEach(vectors, [](Vec a, Vec b) { return Max(a, b); });
}

// e^x for x ≤ 0, as GELU and the weights of a softmax need it: for f32 to (3 + |x|) · 1e-7, for bf16 to 1e-4.
// Less than 2e-38 below −87.
inline Vec NegativeExp(Vec x, const float* /*type*/) {
#if defined(__AVX512F__)
  // Both instructions take ⌊x⌋ by themselves.
  constexpr int kDown = 1;  // x − ⌊x⌋
  const auto scaled = reinterpret_cast<__m512>(x * 1.44269504F);
  const Vec r = reinterpret_cast<Vec>(_mm512_reduce_ps(scaled, kDown));
  // 2^r on 0 ≤ r ≤ 1.
  Vec p = Splat(1.87623291e-3F);
  p = p * r + 8.99258442e-3F;
  p = p * r + 5.58236055e-2F;
  p = p * r + 0.240154535F;
  p = p * r + 0.693152964F;
  p = p * r + 0.99999994F;
  return reinterpret_cast<Vec>(_mm512_scalef_ps(reinterpret_cast<__m512>(p), scaled));
#else
  const Vec clamped = Max(x, Splat(-87.0F));
  const Vec scaled = clamped * 1.44269504F;
  // Adding and subtracting 1.5·2²³ rounds to the nearest integer.
  const Vec shifted = scaled + 12582912.0F;
  const Vec whole = shifted - 12582912.0F;
  const Vec r = (clamped - whole * 0.693359375F) + whole * 2.12194440e-4F;
  // Taylor's series on |r| ≤ ln 2 / 2.
  Vec p = Splat(1.0F / 5040.0F);
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return reinterpret_cast<Vec>(reinterpret_cast<IVec>(p) + (reinterpret_cast<IVec>(shifted) << 23));
#endif
}
inline Vec NegativeExp(Vec x, const BFloat16* /*type*/) {
  const Vec scaled = Max(x * 1.44269504F, Splat(-126.0F));
  const Vec shifted = scaled + 12582912.0F;
  const Vec r = scaled - (shifted - 12582912.0F);
  // 2^r on |r| ≤ ½.
  Vec p = Splat(5.51716681e-2F);
  p = p * r + 0.242611134F;
  p = p * r + 0.693260987F;
  p = p * r + 0.999928073F;
  return reinterpret_cast<Vec>(reinterpret_cast<IVec>(p) + (reinterpret_cast<IVec>(shifted) << 23));
}

// ½x(1 + erf(x/√2)), with the rational approximation of erf of Abramowitz and Stegun 7.1.26 (1.5e-7).
inline Vec Gelu(Vec x, const float* type) {
  const Vec size = Max(x, -x);
  const Vec t = 1.0F / (1.0F + 0.231641888F * size);  // of 1 + 0.3275911 · size/√2
  Vec p = Splat(1.061405429F);
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const Vec tail = p * t * NegativeExp(x * x * -0.5F, type);  // 1 − erf(size/√2)
  return Max(x, Vec{}) - 0.5F * size * tail;
}

// The same to 1.1e-4, less than what bf16 rounds off a value of 0.05: ½ + xP(x²) in place of the normal
// distribution, which is 1 and 0 from ±4.25 on.
inline Vec Gelu(Vec x, const BFloat16* /*type*/) {
  const Vec z = Min(Max(x, Splat(-4.25F)), Splat(4.25F));
  const Vec square = z * z;
  Vec p = Splat(-8.46034901e-10F);
  p = p * square + 7.57079025e-8F;
  p = p * square - 2.9387903e-6F;
  p = p * square + 6.55269145e-5F;
  p = p * square - 9.40446172e-4F;
  p = p * square + 9.25781726e-3F;
  p = p * square - 6.54534884e-2F;
  p = p * square + 0.398420036F;
  return x * (z * p + 0.5F);
}
