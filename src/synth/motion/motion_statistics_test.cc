// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/motion_statistics.h"

#include <gtest/gtest.h>

#include "synth/motion/rotation.h"

namespace calfvo::motion {
namespace {

TEST(MotionStatisticsTest, MeasuresQuantilesAndAxes) {
  MotionClip clip;
  for (int i = 0; i <= 100; ++i) {
    const float x = static_cast<float>(i);
    clip.push_back({ExpRotation({0.0F, 0.001F * x, 0.0F}), {0.0F, 0.0F, -0.01F * x}});
  }
  const MotionStatistics statistics = MeasureMotion({clip});
  EXPECT_NEAR(statistics.translation_m[0], 0.05, 1e-6);
  EXPECT_NEAR(statistics.translation_m[2], 0.50, 1e-6);
  EXPECT_NEAR(statistics.rotation_deg[5], 0.099 * 57.29578, 1e-4);
  EXPECT_NEAR(statistics.mean_abs_translation_m[2], 0.5, 1e-6);
  EXPECT_EQ(statistics.mean_abs_translation_m[0], 0.0);
}

TEST(MotionStatisticsTest, AutocorrelationIsOfWhatChanges) {
  MotionClip alternating, steps;
  for (int i = 0; i < 1000; ++i) {
    alternating.push_back({Mat3{}, {1.0F, 0.0F, i % 2 == 0 ? 0.1F : -0.1F}});
    steps.push_back({Mat3{}, {1.0F, 0.0F, i < 500 ? 0.1F : -0.1F}});
  }
  EXPECT_NEAR(MeasureMotion({alternating}).translation_autocorrelation, -1.0, 1e-3);
  EXPECT_NEAR(MeasureMotion({steps}).translation_autocorrelation, 1.0, 1e-2);
}

TEST(MotionStatisticsTest, NothingGivesZeros) {
  EXPECT_EQ(MeasureMotion({}).translation_m[3], 0.0);
  EXPECT_EQ(MeasureMotion({MotionClip(1)}).rotation_autocorrelation, 0.0);
}

}  // namespace
}  // namespace calfvo::motion
