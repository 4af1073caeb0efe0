// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Csv, RoundTripKeepsEveryBitAndTheCovariance) {
  for (const bool with_covariance : {false, true}) {
    const Trajectory written = RandomTrajectory(50, with_covariance);
    const Trajectory read = ReadText(WrittenText(written, TrajectoryFormat::kCsv));
    ASSERT_EQ(read.size(), written.size());
    EXPECT_EQ(read.timestamps_ns, written.timestamps_ns);
    ASSERT_EQ(read.covariances.size(), written.covariances.size());
    for (size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read.world_from_camera[i].rotation.coeffs(), written.world_from_camera[i].rotation.coeffs());
    }
    for (size_t i = 0; i < read.covariances.size(); ++i)
      EXPECT_EQ(read.covariances[i], written.covariances[i]);
  }
}

TEST(Csv, FramesWithoutTimeStayWithoutTime) {
  Trajectory written = RandomTrajectory(3);
  written.has_time = false;
  written.timestamps_ns = {0, 1'000'000'000, 2'000'000'000};
  const std::string text = WrittenText(written, TrajectoryFormat::kCsv);
  EXPECT_THAT(text, StartsWith("frame,tx,ty,tz,qx,qy,qz,qw\n0,"));
  const Trajectory read = ReadText(text);
  EXPECT_FALSE(read.has_time);
  EXPECT_EQ(read.timestamps_ns, written.timestamps_ns);
}

TEST(Csv, IgnoresColumnsAfterItsOwn) {
  const Trajectory read = ReadText("timestamp_ns,tx,ty,tz,qx,qy,qz,qw,estimates\n5,1,2,3,0,0,0,1,three\n");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read.world_from_camera[0].translation, Eigen::Vector3d(1, 2, 3));
}

TEST(Csv, UnknownHeadersAreRefused) {
  EXPECT_THAT(ReadError("timestamp_ns,x,y,z\n"),
              HasSubstr("file:1: unknown header; expected 'timestamp_ns,tx"));
  EXPECT_THAT(ReadError("timestamp_ns,tx,ty,tz,qx,qy,qz,qwerty\n"), HasSubstr("unknown header"));
  EXPECT_THAT(ReadError("timestamp_ns,tx,ty,tz,qx,qy,qz,qw,cov_px_px,cov_px_py\n"),
              HasSubstr("unknown header"));
  EXPECT_THAT(ReadError("timestamp_ns,tx,ty,tz,qx,qy,qz,qw\n"), HasSubstr("file: holds no poses"));
  EXPECT_THAT(ReadError("frame,tx,ty,tz,qx,qy,qz,qw\n9223372036854775807,0,0,0,0,0,0,1\n"),
              HasSubstr("the frame number is too large"));
}

}  // namespace
}  // namespace calfvo
