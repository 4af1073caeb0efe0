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

// bf16 is the upper half of a float; rounding is to nearest even. NaN does not occur: activations are finite,
// or the head says so.
inline Vec Load(const BFloat16* p) {
  HalfVec half;
  __builtin_memcpy(&half, p, sizeof(half));
  return reinterpret_cast<Vec>(__builtin_convertvector(half, UVec) << 16);
}
inline void Store(BFloat16* p, Vec v) {
  const UVec bits = reinterpret_cast<UVec>(v);
  const UVec rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const HalfVec half = __builtin_convertvector(rounded, HalfVec);
  __builtin_memcpy(static_cast<void*>(p), &half, sizeof(half));
}

inline float Sum(Vec v) {
  float sum = 0.0F;
  for (int i = 0; i < kLanes; ++i) sum += v[i];
  return sum;
}
inline float Max(Vec v) {
  float most = v[0];
  for (int i = 1; i < kLanes; ++i) most = v[i] > most ? v[i] : most;
  return most;
}
inline Vec Max(Vec a, Vec b) {
  return a > b ? a : b;
}
inline Vec Min(Vec a, Vec b) {
  return a < b ? a : b;
}

// e^x to 2 ulp; 0 below −87, finite above.
inline Vec Exp(Vec x) {
  const Vec clamped = Min(Max(x, Splat(-87.0F)), Splat(88.0F));
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
  const IVec exponent = (reinterpret_cast<IVec>(shifted) - 0x4B400000 + 127) << 23;
  const Vec result = p * reinterpret_cast<Vec>(exponent);
  return x < -87.0F ? Vec{} : result;
}

// ½x(1 + erf(x/√2)), with the rational approximation of erf of Abramowitz and Stegun 7.1.26 (1.5e-7).
inline Vec Gelu(Vec x) {
  const Vec z = (x < 0.0F ? -x : x) * 0.70710678F;
  const Vec t = 1.0F / (1.0F + 0.3275911F * z);
  Vec p = Splat(1.061405429F);
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const Vec tail = p * t * Exp(-z * z);  // 1 − erf(z)
  const Vec erf_plus_one = x < 0.0F ? tail : 2.0F - tail;
  return 0.5F * x * erf_plus_one;
}
