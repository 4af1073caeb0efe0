// SPDX-License-Identifier: Apache-2.0
#include "core/portable/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace calfvo::portable {
namespace {

TEST(Random, UniformHasTheRightMomentsAndRange) {
  Random random(1);
  constexpr int kDraws = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const float value = random.Uniform();
    ASSERT_GE(value, 0.0F);
    ASSERT_LT(value, 1.0F);
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 0.005);
}

TEST(Random, NormalHasTheRightMoments) {
  Random random(2);
  constexpr int kDraws = 200'000;
  double moments[5] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.Normal();
    ASSERT_TRUE(std::isfinite(value));
    for (int power = 1; power < 5; ++power) moments[power] += std::pow(value, power) / kDraws;
  }
  EXPECT_NEAR(moments[1], 0.0, 0.01);
  EXPECT_NEAR(moments[2], 1.0, 0.015);
  EXPECT_NEAR(moments[3], 0.0, 0.05);
  EXPECT_NEAR(moments[4], 3.0, 0.1);
}

TEST(Random, IndexIsUniform) {
  Random random(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts[static_cast<size_t>(random.Index(7))];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, StreamsDifferAndRepeat) {
  std::set<uint32_t> first;
  for (uint64_t seed = 0; seed < 1000; ++seed) first.insert(Random(seed).Bits());
  EXPECT_EQ(first.size(), 1000U);
  Random parent(5);
  EXPECT_NE(parent.Fork(0).Bits(), parent.Fork(1).Bits());
  EXPECT_EQ(Random(5).Fork(3).Bits(), parent.Fork(3).Bits());
}

}  // namespace
}  // namespace calfvo::portable
