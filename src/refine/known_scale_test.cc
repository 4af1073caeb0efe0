// SPDX-License-Identifier: Apache-2.0
#include "refine/known_scale.h"

#include <gtest/gtest.h>

#include <random>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

struct Drive {
  std::vector<Rigid3> poses;
  std::vector<MapPoint> points;
};

// A camera that looks ahead, pitched down by 5°, `height` above a plane; walls on both sides.
Drive MakeDrive(double height, double ground_share) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal;
  Drive drive;
  const Quaternion pitch = ExpSO3({-0.09, 0.0, 0.0});
  for (int i = 0; i < 200; ++i) {
    drive.poses.push_back(
        {pitch * ExpSO3({0.01 * std::sin(0.2 * i), 0.0, 0.0}), {0.0, 0.02 * std::sin(0.3 * i), 0.4 * i}});
    for (int p = 0; p < 12; ++p) {
      const bool is_ground = 0.5 * (unit(random) + 1.0) < ground_share;
      const double ahead = 0.4 * i + height * (3.0 + 2.0 * unit(random));
      MapPoint& point = drive.points.emplace_back();
      point.first_frame = i;
      point.x_in_world = is_ground ? Eigen::Vector3d(3.0 * height * unit(random),
                                                     height * (1.0 + 0.01 * normal(random)), ahead)
                                   : Eigen::Vector3d(unit(random) < 0.0 ? -5.0 * height : 5.0 * height,
                                                     height * 0.95 * unit(random), ahead);
    }
  }
  return drive;
}

TEST(FindGroundHeight, OfACameraAboveAPlane) {
  for (const double height : {0.3, 1.65, 20.0}) {
    const Drive drive = MakeDrive(height, 0.5);
    const auto found = FindGroundHeight(drive.poses, drive.points);
    ASSERT_TRUE(found) << height;
    EXPECT_NEAR(found->height, height, 0.02 * height + 0.02);
    EXPECT_GT(found->sigma, 0.0);
    EXPECT_EQ(found->stretches, 5);
  }
}

TEST(FindGroundHeight, NothingWithoutGround) {
  const Drive drive = MakeDrive(1.65, 0.0);
  EXPECT_FALSE(FindGroundHeight(drive.poses, drive.points));
  EXPECT_FALSE(FindGroundHeight(drive.poses, {}));
  EXPECT_FALSE(FindGroundHeight({}, drive.points));
}

TEST(FindGroundHeight, ATableAboveTheFloorIsNotTheGround) {
  Drive drive = MakeDrive(0.5, 1.0);  // the table: narrower than the floor below it
  const Drive floor = MakeDrive(1.5, 1.0);
  std::erase_if(drive.points, [](const MapPoint& point) { return std::abs(point.x_in_world.x()) > 0.5; });
  drive.points.insert(drive.points.end(), floor.points.begin(), floor.points.end());
  const auto found = FindGroundHeight(drive.poses, drive.points);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->height, 1.5, 0.05);
}

TEST(FindGroundHeight, HeightsThatDifferAreNoGround) {
  Drive drive = MakeDrive(1.0, 0.6);
  for (MapPoint& point : drive.points) {
    const double factor = 0.4 + 0.4 * (point.first_frame / 40);
    point.x_in_world =
        drive.poses[static_cast<size_t>(point.first_frame)] *
        Eigen::Vector3d(factor *
                        (drive.poses[static_cast<size_t>(point.first_frame)].Inverse() * point.x_in_world));
  }
  EXPECT_FALSE(FindGroundHeight(drive.poses, drive.points));
}

}  // namespace
}  // namespace calfvo
