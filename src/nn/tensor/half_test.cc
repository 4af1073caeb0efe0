// SPDX-License-Identifier: Apache-2.0
#include "nn/tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace calfvo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// IEEE half by its definition, in double.
double HalfByDefinition(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Half, EveryFloat16HasItsDefinedValueAndComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const float value = ToFloat(half);
    if ((bits & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(ToFloat(ToFloat16(value))));
      continue;
    }
    if ((bits & 0x7fff) == 0x7c00) {
      EXPECT_EQ(value, (bits & 0x8000) != 0 ? -kInfinity : kInfinity);
    } else {
      ASSERT_EQ(value, HalfByDefinition(half.bits)) << bits;
    }
    ASSERT_EQ(ToFloat16(value).bits, bits);
  }
}

TEST(Half, EveryBFloat16ComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const BFloat16 half{static_cast<uint16_t>(bits)};
    if (std::isnan(ToFloat(half))) {
      EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(ToFloat(half)))));
    } else {
      ASSERT_EQ(ToBFloat16(ToFloat(half)).bits, bits);
    }
  }
}

// Between each two neighbours: below the midpoint to the lower, above it to the upper, on it to the even one.
TEST(Half, Float16RoundsToNearestEven) {
  for (uint16_t low = 0; low < 0x7c00; ++low) {
    const double upper = low == 0x7bff ? 65536.0 : HalfByDefinition(low + 1);
    const auto middle = static_cast<float>((HalfByDefinition(low) + upper) / 2);
    const uint16_t even = low + (low & 1);
    for (const float sign : {1.0F, -1.0F}) {
      const uint16_t sign_bit = sign < 0 ? 0x8000 : 0;
      ASSERT_EQ(ToFloat16(sign * middle).bits, even | sign_bit);
      ASSERT_EQ(ToFloat16(sign * std::nextafter(middle, 0.0F)).bits, low | sign_bit);
      ASSERT_EQ(ToFloat16(sign * std::nextafter(middle, kInfinity)).bits, (low + 1) | sign_bit);
    }
  }
}

TEST(Half, BFloat16RoundsToNearestEven) {
  for (uint16_t low = 0; low < 0x7f80; ++low) {
    const float middle = std::bit_cast<float>((uint32_t{low} << 16) | 0x8000);
    ASSERT_EQ(ToBFloat16(middle).bits, low + (low & 1));
    ASSERT_EQ(ToBFloat16(std::nextafter(middle, 0.0F)).bits, low);
    ASSERT_EQ(ToBFloat16(-std::nextafter(middle, kInfinity)).bits, (low + 1) | 0x8000);
  }
}

TEST(Half, Extremes) {
  EXPECT_EQ(ToFloat16(65519.99F).bits, 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(ToFloat16(std::numeric_limits<float>::max()).bits, 0x7c00);
  EXPECT_EQ(ToFloat16(-std::numeric_limits<float>::denorm_min()).bits, 0x8000);
  EXPECT_EQ(ToBFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  // A NaN whose payload lies in the bits that are cut off must not become infinity.
  EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(std::bit_cast<float>(0x7f800001U)))));
}

TEST(Half, ArraysAreConvertedElementByElement) {
  std::vector<float> values(1003);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i)) * 1000;
  std::vector<Float16> half(values.size());
  std::vector<BFloat16> brain(values.size());
  ToFloat16(values.data(), values.size(), half.data());
  ToBFloat16(values.data(), values.size(), brain.data());
  std::vector<float> from_half(values.size());
  std::vector<float> from_brain(values.size());
  ToFloat(half.data(), half.size(), from_half.data());
  ToFloat(brain.data(), brain.size(), from_brain.data());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(from_half[i], ToFloat(ToFloat16(values[i])));
    EXPECT_EQ(from_brain[i], ToFloat(ToBFloat16(values[i])));
    EXPECT_NEAR(from_half[i], values[i], std::abs(values[i]) * 0x1p-11);
    EXPECT_NEAR(from_brain[i], values[i], std::abs(values[i]) * 0x1p-8);
  }
}

}  // namespace
}  // namespace calfvo
