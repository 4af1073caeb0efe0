// SPDX-License-Identifier: Apache-2.0
#include "eval/report/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/testing.h"
#include "eval/report/test_pair.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(PathFigure, AutoViewDropsTheFlattestAxis) {
  for (int flat = 0; flat < 3; ++flat) {
    TestPair pair(50);
    for (Trajectory* trajectory : {&pair.reference, &pair.estimate}) {
      for (size_t i = 0; i < 50; ++i) {
        Eigen::Vector3d& position = trajectory->world_from_camera[i].translation;
        position = Eigen::Vector3d(1.0, 2.0, 3.0) * static_cast<double>(i);
        position[flat] = 0.0;
      }
    }
    pair.evaluation = Evaluate(pair.reference, pair.estimate);
    const Panel panel = PathFigure(pair.View()).panels.at(0);
    const char* names[3][2] = {{"y (m)", "z (m)"}, {"x (m)", "z (m)"}, {"x (m)", "y (m)"}};
    EXPECT_EQ(panel.x_label, names[flat][0]);
    EXPECT_EQ(panel.y_label, names[flat][1]);
    EXPECT_TRUE(panel.equal_aspect);
  }
}

TEST(PathFigure, ColoursSegmentsByRelativeError) {
  const TestPair pair(50);
  const Panel panel = PathFigure(pair.View(), ViewPlane::kXz).panels.at(0);
  ASSERT_EQ(panel.series.size(), 2U);
  EXPECT_TRUE(panel.series[0].dashed);
  EXPECT_EQ(panel.series[1].values, pair.evaluation.rpe_trans_m);
  ASSERT_TRUE(panel.color_bar.has_value());
  EXPECT_GT(panel.color_bar->max, pair.evaluation.rpe_trans.median);
  EXPECT_LE(panel.color_bar->max, pair.evaluation.rpe_trans.max);
}

TEST(OrientationFigure, AnglesAreUnwrapped) {
  // Four full turns about z.
  TestPair pair(400);
  for (size_t i = 0; i < 400; ++i) {
    const double yaw = 8.0 * std::numbers::pi * static_cast<double>(i) / 400.0;
    const Quaternion rotation(std::cos(yaw / 2), 0.0, 0.0, std::sin(yaw / 2));
    pair.reference.world_from_camera[i].rotation = pair.estimate.world_from_camera[i].rotation = rotation;
  }
  pair.evaluation = Evaluate(pair.reference, pair.estimate);
  const Figure figure = OrientationFigure(pair.View());
  ASSERT_EQ(figure.panels.size(), 3U);
  EXPECT_NEAR(figure.panels[2].series[1].y.back(), 360.0 * 4 * 399 / 400, 1e-6);
  EXPECT_NEAR(figure.panels[0].series[1].y.back(), 0.0, 1e-6);
}

TEST(ErrorFigure, RelativeErrorsStandAtTheLaterFrame) {
  const TestPair pair(10);
  const Figure figure = ErrorFigure(pair.View());
  ASSERT_EQ(figure.panels.size(), 4U);
  EXPECT_EQ(figure.panels[0].series[0].x.size(), 10U);
  EXPECT_EQ(figure.panels[2].series[0].x.front(), figure.panels[0].series[0].x[1]);
}

TEST(ErrorFigure, KnownDeviationsDrawWhatErrorsShouldBeBelow) {
  const TestPair pair(10);
  const std::vector<EdgeSigma> sigmas(10, {.translation_m = 0.5, .rotation_deg = 2.0});
  EvaluatedPair view = pair.View();
  EXPECT_EQ(ErrorFigure(view).panels[2].series.size(), 1U);
  view.sigmas = sigmas;
  const Figure figure = ErrorFigure(view);
  ASSERT_EQ(figure.panels[2].series.size(), 2U);
  EXPECT_EQ(figure.panels[2].series[0].y, std::vector<double>(9, 2.7955 * 0.5));
  EXPECT_EQ(figure.panels[3].series[0].y, std::vector<double>(9, 2.7955 * 2.0));
  EXPECT_EQ(figure.panels[3].series[1].y, pair.evaluation.rpe_rot_deg);
}

TEST(ViewPlaneFromName, ListsTheNames) {
  EXPECT_EQ(ViewPlaneFromName("xz"), ViewPlane::kXz);
  EXPECT_THAT(ErrorFrom([] { ViewPlaneFromName("top"); }), HasSubstr("'top'; expected auto, xy, xz or yz"));
}

}  // namespace
}  // namespace calfvo
