// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/magnitude.h"

#include <gtest/gtest.h>

#include "core/portable/random.h"

namespace calfvo::motion {
namespace {

TEST(MagnitudeTest, NormalQuantileInvertsNormalCdf) {
  for (float x = -3.5F; x <= 3.5F; x += 0.25F) EXPECT_NEAR(NormalQuantile(NormalCdf(x)), x, 0.01F);
  EXPECT_TRUE(std::isfinite(NormalQuantile(0.0F)));
  EXPECT_TRUE(std::isfinite(NormalQuantile(1.0F)));
}

TEST(MagnitudeTest, RanksAreUniform) {
  portable::Random random(3);
  const int kCount = 20000;
  int length_below = 0;
  int magnitude_below = 0;
  int mixed_below = 0;
  for (int i = 0; i < kCount; ++i) {
    const portable::Vec3 v{random.Normal(), random.Normal(), random.Normal()};
    if (LengthRank(Norm(v)) < 0.3F) ++length_below;
    if (MagnitudeRank(v.x) < 0.3F) ++magnitude_below;
    if (MixedRank(LengthRank(Norm(v)), random.Normal(), 0.4F) < 0.3F) ++mixed_below;
  }
  EXPECT_NEAR(length_below, 0.3 * kCount, 0.015 * kCount);
  EXPECT_NEAR(magnitude_below, 0.3 * kCount, 0.015 * kCount);
  EXPECT_NEAR(mixed_below, 0.3 * kCount, 0.015 * kCount);
}

TEST(MagnitudeTest, TablePassesThroughItsQuantiles) {
  const MagnitudeTable table{{-1.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F}};
  EXPECT_EQ(table.Quantile(0.0F), 0.0F);  // rests
  EXPECT_FLOAT_EQ(table.Quantile(0.5F), 3.0F);
  EXPECT_FLOAT_EQ(table.Quantile(0.6F), 3.4F);
  EXPECT_FLOAT_EQ(table.Quantile(0.97F), 5.5F);
  EXPECT_FLOAT_EQ(table.Quantile(1.0F), 7.0F);
}

}  // namespace
}  // namespace calfvo::motion
