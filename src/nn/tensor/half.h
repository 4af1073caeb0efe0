// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits: IEEE half precision and bfloat16. They are storage only; arithmetic is done in float.
// Conversions to 16 bits round to nearest, ties to even, as IEEE 754 and PyTorch do; overflow becomes
// infinity and a NaN stays a NaN. The functions have no branches, so that loops over them vectorise.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace calfvo {

struct Float16 {
  uint16_t bits = 0;
};

struct BFloat16 {
  uint16_t bits = 0;
};

inline float ToFloat(BFloat16 value) {
  return std::bit_cast<float>(uint32_t{value.bits} << 16);
}

inline float ToFloat(Float16 value) {
  const uint32_t sign = (uint32_t{value.bits} & 0x8000) << 16;
  const uint32_t magnitude = value.bits & 0x7fff;
  // Subnormals count units of 2^-24; the others have an exponent that is smaller by 127 - 15 = 112.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24F);
  const uint32_t normal = (magnitude << 13) + (112U << 23);
  const uint32_t special = (magnitude << 13) | 0x7f800000U;
  const uint32_t finite = magnitude < 0x0400 ? subnormal : normal;
  return std::bit_cast<float>(sign | (magnitude >= 0x7c00 ? special : finite));
}

inline BFloat16 ToBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40;
  return {static_cast<uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet_nan : rounded)};
}

inline Float16 ToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffffU;
  // Adding 0.5, whose last place is 2^-24, lets the processor round to units of half's subnormals.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<uint32_t>(0.5F);
  const uint32_t normal = (magnitude - (112U << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;  // 2^-14
  const uint32_t large = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;    // NaN or infinity
  const uint32_t result = magnitude >= 0x477ff000U ? large : finite;     // 65520 rounds up to 2^16
  return {static_cast<uint16_t>(sign | result)};
}

// Arrays that do not overlap.
void ToFloat(const BFloat16* from, size_t count, float* to);
void ToFloat(const Float16* from, size_t count, float* to);
void ToBFloat16(const float* from, size_t count, BFloat16* to);
void ToFloat16(const float* from, size_t count, Float16* to);

}  // namespace calfvo
