// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(Euroc, ReadsScalarFirstQuaternionsAndDropsExtraColumns) {
  const Trajectory trajectory = ReadText(
      "#timestamp, p_RS_R_x [m], ...\n"
      "1403636580838555648,4.5, -1.75,0.5,0,1,0,0,0.1,0.2,0.3\n"
      "1403636580863555584.0000000000,4.6,-1.8,0.7,1,0,0,0\r\n");
  ASSERT_EQ(trajectory.size(), 2U);
  EXPECT_EQ(trajectory.timestamps_ns[0], 1403636580838555648);
  EXPECT_EQ(trajectory.timestamps_ns[1], 1403636580863555584);
  EXPECT_EQ(trajectory.world_from_camera[0].translation, Eigen::Vector3d(4.5, -1.75, 0.5));
  EXPECT_EQ(trajectory.world_from_camera[0].rotation.x(), 1.0);
  EXPECT_EQ(trajectory.world_from_camera[1].rotation.w(), 1.0);
}

TEST(Euroc, RoundTripKeepsEveryBit) {
  const Trajectory written = RandomTrajectory(200);
  const Trajectory read = ReadText(WrittenText(written, TrajectoryFormat::kEuroc));
  ASSERT_EQ(read.size(), written.size());
  EXPECT_EQ(read.timestamps_ns, written.timestamps_ns);
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read.world_from_camera[i].translation, written.world_from_camera[i].translation);
    EXPECT_EQ(read.world_from_camera[i].rotation.coeffs(), written.world_from_camera[i].rotation.coeffs());
  }
}

TEST(Euroc, MalformedLinesAreNamed) {
  const std::string good = "1,0,0,0,1,0,0,0\n";
  EXPECT_THAT(ReadError(good + "2,0,0,0,1,0,0\n"), HasSubstr("file:2: the line ends after 7 fields"));
  EXPECT_THAT(ReadError(good + "2,0,,0,1,0,0,0\n"), HasSubstr("file:2: field 3 '' is not a number"));
  EXPECT_THAT(ReadError(good + "2,0,0,0,1,0,0,0,\n"), HasSubstr("field 9 '' is not a number"));
  EXPECT_THAT(ReadError(good + "1,0,0,0,1,0,0,0\n"), HasSubstr("is not after the previous pose's"));
  EXPECT_THAT(ReadError(good + "99999999999999999999,0,0,0,1,0,0,0\n"),
              HasSubstr("is not a time in nanoseconds"));
  EXPECT_THAT(ReadError("1.5e9,0,0,0,1,0,0,0\n"), HasSubstr("is not a time in nanoseconds"));
}

}  // namespace
}  // namespace calfvo
