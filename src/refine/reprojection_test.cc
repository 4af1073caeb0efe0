// SPDX-License-Identifier: Apache-2.0
#include "refine/reprojection.h"

#include <gtest/gtest.h>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

struct Case {
  Keyframe anchor;
  Keyframe view;
  PointView point;
  double anchor_delta[6] = {0.02, -0.01, 0.03, 0.1, -0.05, 0.02};
  double view_delta[6] = {-0.04, 0.02, 0.01, 0.03, 0.06, -0.02};
  double inverse_depth = 0.4;
  CameraParams camera = {std::log(500.0), 322.0, 236.0, 0.7, -0.15};

  Case() {
    anchor.world_from_camera = {ExpSO3({0.1, -0.2, 0.05}), {0.3, 0.1, -0.2}};
    anchor.angular_velocity = {0.03, -0.02, 0.01};
    anchor.velocity = {0.05, 0.01, 0.1};
    view.world_from_camera = {ExpSO3({0.15, -0.1, 0.08}), {0.5, 0.0, -0.1}};
    view.angular_velocity = {-0.02, 0.05, 0.02};
    view.velocity = {0.02, 0.03, 0.08};
    point = {&anchor, &view, {400.0, 180.0}, {350.0, 300.0}, 480.0};
  }
};

// Central differences of the predicted pixel by one number.
Eigen::Vector2d Difference(const Case& c, double& number) {
  constexpr double kStep = 1e-6;
  Eigen::Vector2d plus;
  Eigen::Vector2d minus;
  const double value = number;
  number = value + kStep;
  EXPECT_TRUE(PredictPixel(c.point, c.anchor_delta, c.view_delta, c.inverse_depth, c.camera, plus));
  number = value - kStep;
  EXPECT_TRUE(PredictPixel(c.point, c.anchor_delta, c.view_delta, c.inverse_depth, c.camera, minus));
  number = value;
  return (plus - minus) / (2.0 * kStep);
}

TEST(Reprojection, JacobiansEqualFiniteDifferences) {
  Case c;
  Eigen::Vector2d pixel;
  PredictionJacobians by;
  ASSERT_TRUE(PredictPixel(c.point, c.anchor_delta, c.view_delta, c.inverse_depth, c.camera, pixel, &by));
  const auto expect_equal = [](const Eigen::Vector2d& analytic, const Eigen::Vector2d& numeric) {
    EXPECT_LT((analytic - numeric).norm(), 1e-4 * (1.0 + numeric.norm()))
        << analytic.transpose() << " and " << numeric.transpose();
  };
  for (int i = 0; i < 6; ++i) {
    expect_equal(by.by_anchor.col(i), Difference(c, c.anchor_delta[i]));
    expect_equal(by.by_view.col(i), Difference(c, c.view_delta[i]));
  }
  expect_equal(by.by_inverse_depth, Difference(c, c.inverse_depth));
  for (int i = 0; i < kCameraParams; ++i) {
    expect_equal(by.by_camera.col(i), Difference(c, c.camera[static_cast<size_t>(i)]));
  }
}

TEST(Reprojection, UnprojectInvertsProject) {
  const CameraParams camera = {std::log(450.0), 310.0, 250.0, 0.0, -0.2};
  for (const Eigen::Vector3d& h : {Eigen::Vector3d(0.0, 0.0, 1.0), Eigen::Vector3d(0.8, -0.6, 2.0)}) {
    EXPECT_LT((Unproject(camera, Project(camera, h)) - h.hnormalized()).norm(), 1e-10);
  }
}

TEST(Reprojection, PointBehindTheCameraIsNotSeen) {
  Case c;
  c.view.world_from_camera.translation = {0.0, 0.0, 20.0};
  Eigen::Vector2d pixel;
  EXPECT_FALSE(PredictPixel(c.point, c.anchor_delta, c.view_delta, c.inverse_depth, c.camera, pixel));
}

}  // namespace
}  // namespace calfvo
