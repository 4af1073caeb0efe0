// SPDX-License-Identifier: Apache-2.0
#include "refine/loop_closure.h"

#include <gtest/gtest.h>

#include <numbers>

#include "core/geometry/so3.h"
#include "refine/reprojection.h"

namespace calfvo {
namespace {

constexpr int kKeyframes = 60;

// A circle of 2 m that ends where it began.
Rigid3 TruePose(int i) {
  const double angle = 2.0 * std::numbers::pi * i / (kKeyframes - 1);
  return {ExpSO3({0.0, angle, 0.0}), {2.0 * std::sin(angle), 0.0, 2.0 * std::cos(angle) - 2.0}};
}

// The circle with a turn and a growing scale added to each edge.
Adjustment DriftingCircle() {
  Adjustment all;
  Rigid3 pose = TruePose(0);
  for (int i = 0; i < kKeyframes; ++i) {
    if (i > 0) {
      Rigid3 edge = TruePose(i - 1).Inverse() * TruePose(i);
      edge.rotation = edge.rotation * ExpSO3({0.0, 0.003, 0.001});
      edge.translation *= 1.0 + 0.005 * i;
      pose = pose * edge;
      all.edges.push_back({edge, 0.003, 0.01, {}});
    }
    all.keyframes.push_back({.frame = i, .world_from_camera = pose});
  }
  all.camera = {std::log(500.0), 320.0, 240.0, 0.0, 0.0};
  all.image_height = 480.0;
  return all;
}

TEST(CloseLoops, ALoopRemovesDriftInPositionAndScale) {
  Adjustment all = DriftingCircle();
  const double open =
      (all.keyframes.back().world_from_camera.translation - TruePose(kKeyframes - 1).translation).norm();
  Loop loop{.first = 0, .second = kKeyframes - 1};
  const double end_scale = 1.0 + 0.005 * kKeyframes;
  loop.first_from_second = {1.0 / end_scale, Quaternion::Identity(), Eigen::Vector3d::Zero()};
  // Points that the first two keyframes triangulated; the last one sees them where the first did.
  Keyframe first{.world_from_camera = TruePose(0)};
  Keyframe partner{.world_from_camera = all.keyframes[1].world_from_camera};
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector2d pixel(64.0 * (i % 10) + 32.0, 4.8 * i);
    Loop::Match match{
        .anchor_pixel = pixel, .second_pixel = pixel, .inverse_depth = 1.0 / (2.0 + i % 3), .partner = 1};
    ASSERT_TRUE(PredictPixel({&first, &partner, pixel, pixel, 480.0}, kNoCorrection, kNoCorrection,
                             match.inverse_depth, all.camera, match.partner_pixel));
    loop.matches.push_back(match);
  }
  AdjustOptions options;  // the camera is held
  CloseLoops({loop, loop}, options, all);
  EXPECT_GT(open, 0.4);
  const Rigid3& last = all.keyframes.back().world_from_camera;
  EXPECT_LT(last.translation.norm(), 0.25 * open);
  EXPECT_LT(RotationAngle(last.rotation), 0.05);
}

}  // namespace
}  // namespace calfvo
