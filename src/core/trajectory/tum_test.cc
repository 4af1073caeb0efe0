// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(Tum, ReadsCommentsCrlfTabsAndAMissingLastNewline) {
  const Trajectory trajectory = ReadText(
      "# timestamp tx ty tz qx qy qz qw\r\n"
      "\r\n"
      "1305031098.6659 1.5\t-2 3e-1 0 0 0 1\r\n"
      "  # indented comment\n"
      " 1305031098.6758  1 2 3  0 0 1 0 ");
  ASSERT_EQ(trajectory.size(), 2U);
  EXPECT_TRUE(trajectory.has_time);
  EXPECT_EQ(trajectory.timestamps_ns[0], 1305031098665900000);
  EXPECT_EQ(trajectory.timestamps_ns[1], 1305031098675800000);
  EXPECT_EQ(trajectory.world_from_camera[0].translation, Eigen::Vector3d(1.5, -2, 0.3));
  EXPECT_EQ(trajectory.world_from_camera[1].rotation.z(), 1.0);
  EXPECT_TRUE(trajectory.covariances.empty());
}

TEST(Tum, RoundTripKeepsEveryBit) {
  const Trajectory written = RandomTrajectory(200);
  const Trajectory read = ReadText(WrittenText(written, TrajectoryFormat::kTum));
  ASSERT_EQ(read.size(), written.size());
  EXPECT_EQ(read.timestamps_ns, written.timestamps_ns);
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read.world_from_camera[i].translation, written.world_from_camera[i].translation);
    EXPECT_EQ(read.world_from_camera[i].rotation.coeffs(), written.world_from_camera[i].rotation.coeffs());
  }
}

TEST(Tum, RoundedQuaternionsAreNormalised) {
  const Trajectory trajectory = ReadText("0 0 0 0 0.6132 0.5962 -0.3311 -0.3986\n");
  EXPECT_NEAR(trajectory.world_from_camera[0].rotation.norm(), 1.0, 1e-15);
}

TEST(Tum, MalformedLinesAreNamed) {
  const std::string good = "0 0 0 0 0 0 0 1\n";
  EXPECT_THAT(ReadError(good + "1 0 0 0 0 0 1\n"),
              HasSubstr("file:2: the line ends after 7 fields; expected 'timestamp tx ty tz qx qy qz qw'"));
  EXPECT_THAT(ReadError(good + "# note\n1 0 0 0 0 0 0 1 9\n"),
              HasSubstr("file:3: field 9 '9' is one too many"));
  EXPECT_THAT(ReadError(good + "1 0 x 0 0 0 0 1\n"), HasSubstr("file:2: field 3 'x' is not a number"));
  EXPECT_THAT(ReadError(good + "1 0 1.5.2 0 0 0 0 1\n"), HasSubstr("field 3 '1.5.2' is not a number"));
  EXPECT_THAT(ReadError(good + "1 0 1e308 0 0 0 0 1\n"),
              HasSubstr(":2: the position x 0 y 1e+308 z 0 is beyond ±1e+12 m"));
  EXPECT_THAT(ReadError(good + "1 nan 0 0 0 0 0 1\n"), HasSubstr("field 2 'nan' is not finite"));
  EXPECT_THAT(ReadError(good + "1 0 -inf 0 0 0 0 1\n"), HasSubstr("field 3 '-inf' is not finite"));
  EXPECT_THAT(ReadError(good + "1 1e999 0 0 0 0 0 1\n"), HasSubstr("field 2 '1e999' is not a number"));
  EXPECT_THAT(ReadError(good + "noon 0 0 0 0 0 0 1\n"), HasSubstr("field 1 'noon' is not a time in seconds"));
}

TEST(Tum, QuaternionsThatAreNotRotationsAreRefused) {
  EXPECT_THAT(ReadError("0 0 0 0 0 0 0 0\n"), HasSubstr("has norm 0; expected 1 within 1 %"));
  EXPECT_THAT(ReadError("0 0 0 0 1 1 1 1\n"), HasSubstr("has norm 2;"));
  EXPECT_THAT(ReadError("0 0 0 0 1e200 0 0 0\n"), HasSubstr("expected 1 within 1 %"));
}

TEST(Tum, TimeMustIncrease) {
  EXPECT_THAT(ReadError("1 0 0 0 0 0 0 1\n1.0 0 0 0 0 0 0 1\n"),
              HasSubstr("file:2: the time 1.000000000 s is not after the previous pose's 1.000000000 s"));
  EXPECT_THAT(ReadError("1 0 0 0 0 0 0 1\n-1 0 0 0 0 0 0 1\n"), HasSubstr("-1.000000000 s is not after"));
}

TEST(Tum, TimeMustNotSpanMoreThanFits) {
  EXPECT_EQ(ReadText("-4e9 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n5e9 0 0 0 0 0 0 1\n").size(), 3U);
  EXPECT_THAT(ReadError("-9e9 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n9e9 0 0 0 0 0 0 1\n"),
              HasSubstr("file:3: the time is more than 292 years after the first"));
}

TEST(Tum, TimesInNanosecondsAreOutOfRange) {
  EXPECT_THAT(ReadError("1403636580863555584 0 0 0 0 0 0 1\n"), HasSubstr("is not a time in seconds within"));
}

}  // namespace
}  // namespace calfvo
