// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/geometry/so3.h"
#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(Kitti, HasNoClock) {
  const Trajectory trajectory = ReadText(
      "1 0 0 0 0 1 0 0 0 0 1 0\n"
      "0 -1 0 4 1 0 0 5 0 0 1 6\n");
  ASSERT_EQ(trajectory.size(), 2U);
  EXPECT_FALSE(trajectory.has_time);
  EXPECT_EQ(trajectory.timestamps_ns[1], 1'000'000'000);
  EXPECT_EQ(trajectory.world_from_camera[1].translation, Eigen::Vector3d(4, 5, 6));
  EXPECT_NEAR(trajectory.world_from_camera[1].rotation.z(), std::sqrt(0.5), 1e-15);
}

TEST(Kitti, RoundTripKeepsDoublePrecision) {
  const Trajectory written = RandomTrajectory(200);
  const Trajectory read = ReadText(WrittenText(written, TrajectoryFormat::kKitti));
  ASSERT_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read.world_from_camera[i].translation, written.world_from_camera[i].translation);
    EXPECT_LT(AngleBetween(read.world_from_camera[i].rotation, written.world_from_camera[i].rotation), 4e-15);
  }
}

TEST(Kitti, RoundedMatricesAreProjected) {
  const Trajectory trajectory = ReadText("0.99999 0 0 0 0 1 0 0 0 0 1.00001 0\n");
  EXPECT_NEAR(trajectory.world_from_camera[0].rotation.norm(), 1.0, 1e-15);
}

TEST(Kitti, BlocksThatAreNotRotationsAreRefused) {
  EXPECT_THAT(ReadError("1 0 0 0 0 1 0 0 0 0 -1 0\n"),
              HasSubstr("file:1: the 3x3 block is 2 away from a rotation"));
  EXPECT_THAT(ReadError("0 0 0 0 0 0 0 0 0 0 0 0\n"), HasSubstr("away from a rotation"));
  EXPECT_THAT(ReadError("2 0 0 0 0 2 0 0 0 0 2 0\n"), HasSubstr("away from a rotation"));
  EXPECT_THAT(ReadError("1e300 0 0 0 0 1e300 0 0 0 0 1e300 0\n"), HasSubstr("away from a rotation"));
}

TEST(Kitti, MalformedLinesAreNamed) {
  const std::string good = "1 0 0 0 0 1 0 0 0 0 1 0\n";
  EXPECT_THAT(ReadError(good + "1 0 0\n"), HasSubstr("file:2: the line ends after 3 fields; expected 'r11"));
  EXPECT_THAT(ReadError(good + "1 0 0 nan 0 1 0 0 0 0 1 0\n"), HasSubstr("field 4 'nan' is not finite"));
  EXPECT_THAT(ReadError(good + "1 0 0 0 0 1 0 0 0 0 1 0 5\n"), HasSubstr("field 13 '5' is one too many"));
}

}  // namespace
}  // namespace calfvo
