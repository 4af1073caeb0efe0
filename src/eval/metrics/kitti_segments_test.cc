// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/kitti_segments.h"

#include <gtest/gtest.h>

#include <numbers>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

Rigid3 Straight(double metres) {
  return {Quaternion::Identity(), {0.0, 0.0, metres}};
}

TEST(KittiSegments, AbsentOnShortPaths) {
  const auto at = [](size_t i) { return Straight(static_cast<double>(i)); };
  EXPECT_FALSE(KittiSegments(0, at, at).has_value());
  EXPECT_FALSE(KittiSegments(101, at, at).has_value());  // 100 m: nothing lies beyond its end
  ASSERT_TRUE(KittiSegments(102, at, at).has_value());
  EXPECT_EQ(KittiSegments(102, at, at)->segments, 1U);
}

TEST(KittiSegments, ScaleErrorOnAStraightLine) {
  // One metre a frame: a segment of L metres ends at the first frame beyond it, after L + 1 metres. An
  // estimate 2 % too long is off by 0.02·(L + 1).
  const size_t count = 1000;
  const auto reference = [](size_t i) { return Straight(static_cast<double>(i)); };
  const auto estimate = [](size_t i) { return Straight(1.02 * static_cast<double>(i)); };
  double expected = 0.0;
  size_t segments = 0;
  for (size_t first = 0; first < count; first += 10) {
    for (size_t length = 100; length <= 800 && first + length + 1 < count; length += 100) {
      expected += 2.0 * static_cast<double>(length + 1) / static_cast<double>(length);
      ++segments;
    }
  }
  const auto errors = KittiSegments(count, reference, estimate);
  ASSERT_TRUE(errors.has_value());
  EXPECT_EQ(errors->segments, segments);
  EXPECT_NEAR(errors->translation_percent, expected / static_cast<double>(segments), 1e-9);
  EXPECT_NEAR(errors->rotation_deg_per_m, 0.0, 1e-12);
}

TEST(KittiSegments, RotationDrift) {
  const double drift_deg_per_m = 0.01;
  const auto reference = [](size_t i) { return Straight(static_cast<double>(i)); };
  const auto estimate = [&](size_t i) {
    const double angle = static_cast<double>(i) * drift_deg_per_m * std::numbers::pi / 180.0;
    return Rigid3{ExpSO3({0.0, angle, 0.0}), {0.0, 0.0, static_cast<double>(i)}};
  };
  const auto errors = KittiSegments(202, reference, estimate);
  ASSERT_TRUE(errors.has_value());
  // 11 segments of 100 m that end after 101 m, and one of 200 m that ends after 201 m.
  EXPECT_EQ(errors->segments, 12U);
  EXPECT_NEAR(errors->rotation_deg_per_m, drift_deg_per_m * (11 * 1.01 + 1.005) / 12.0, 1e-12);
}

}  // namespace
}  // namespace calfvo
