// SPDX-License-Identifier: Apache-2.0
#include "commands/run/path_sketch.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

TEST(PathSketch, LengthIsExactAndTheImageBounded) {
  PathSketch sketch;
  TrackedPose pose;
  pose.edge.sigma_translation_m = 0.1;
  constexpr int kPoses = 50'000;
  for (int i = 0; i < kPoses; ++i) {
    pose.world_from_camera.translation = {0.0, 0.0, 0.5 * i};
    sketch.Add(1'000'000LL * i, pose);
  }
  EXPECT_NEAR(sketch.length_m(), 0.5 * (kPoses - 1), 1e-6);
  const Figure figure = sketch.PathFigure("x", true);
  const Series& path = figure.panels[0].series[0];
  EXPECT_LT(path.x.size(), PathSketch::kMaxPoints);
  EXPECT_GE(path.x.size(), PathSketch::kMaxPoints / 4);
  EXPECT_EQ(path.values.size() + 1, path.x.size());
  for (size_t i = 1; i < path.y.size(); ++i) EXPECT_EQ(path.y[i] - path.y[i - 1], path.y[1] - path.y[0]);
  EXPECT_GT(path.y.back(), 0.5 * (kPoses - 20));
}

TEST(PathSketch, LooksAlongTheAxisOfLeastMotion) {
  const auto labels = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    PathSketch sketch;
    TrackedPose pose;
    for (const Eigen::Vector3d& position : {Eigen::Vector3d(0, 0, 0), a, b}) {
      pose.world_from_camera.translation = position;
      sketch.Add(0, pose);
    }
    const Figure figure = sketch.PathFigure("x", false);
    const Panel& panel = figure.panels[0];
    return panel.x_label.substr(0, 1) + panel.y_label.substr(0, 1) + (panel.y_down ? " down" : " up");
  };
  EXPECT_EQ(labels({1, 0.1, 0}, {0, 0, 9}), "xz up");
  EXPECT_EQ(labels({1, 5, 0}, {8, 0, 0.1}), "xy down");
  EXPECT_EQ(labels({0, 5, 0}, {0.1, 0, 9}), "zy down");
  EXPECT_EQ(labels({0, 0, 0}, {0, 0, 0}), "xz up");
}

}  // namespace
}  // namespace calfvo
