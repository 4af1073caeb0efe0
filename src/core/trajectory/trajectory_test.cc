// SPDX-License-Identifier: Apache-2.0
#include "calfvo/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ReadTrajectory, DistinguishesFormats) {
  EXPECT_TRUE(ReadText("0 0 0 0 0 0 0 1\n").has_time);
  EXPECT_FALSE(ReadText("1 0 0 0 0 1 0 0 0 0 1 0\n").has_time);
  EXPECT_EQ(ReadText("7,0,0,0,1,0,0,0\n").timestamps_ns[0], 7);
  EXPECT_EQ(ReadText("timestamp_ns,tx,ty,tz,qx,qy,qz,qw\n7,0,0,0,0,0,0,1\n").timestamps_ns[0], 7);
}

TEST(ReadTrajectory, NamesWhatItLookedFor) {
  EXPECT_THAT(
      ReadError("# a\nhello world\n"),
      HasSubstr("file:2: 2 blank-separated and 1 comma-separated fields; expected TUM (8 numbers), KITTI"));
}

TEST(ReadTrajectory, NamedFormatWins) {
  EXPECT_THAT(ReadError("1 0 0 0 0 1 0 0 0 0 1 0\n", TrajectoryFormat::kTum), HasSubstr("is one too many"));
  EXPECT_THAT(ReadError("x", TrajectoryFormat::kNpz), HasSubstr("npz can be written but not read"));
}

TEST(ReadTrajectory, EmptyFilesHoldNoPoses) {
  for (const char* text : {"", "\n\n", "# only\n# comments"}) {
    EXPECT_THAT(ReadError(text), HasSubstr("file: holds no poses"));
  }
}

TEST(ReadTrajectory, MissingFilesAndFolders) {
  EXPECT_THAT(ErrorFrom([] { ReadTrajectory("/nonexistent.txt"); }),
              HasSubstr("/nonexistent.txt: cannot open: No such file or directory"));
  EXPECT_THAT(ErrorFrom([] { ReadTrajectory("/tmp"); }), HasSubstr("/tmp: is a folder"));
  const std::string long_name(300, 'x');
  EXPECT_EQ(ErrorFrom([&] { ReadTrajectory(long_name); }), long_name + ": cannot open: File name too long");
}

TEST(ReadTrajectory, BinaryFilesAreRefused) {
  std::string bytes(1 << 20, '\0');
  EXPECT_THAT(ReadError(bytes), HasSubstr("is this a text file?"));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  EXPECT_THAT(ReadError(bytes), HasSubstr("file:"));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A trajectory of three poses that `spoil` was let at, into a file and as COLMAP writes it.
template <typename Spoil>
void ExpectRefused(const std::string& why, Spoil&& spoil) {
  const TempFolder folder;
  Trajectory trajectory = RandomTrajectory(3, /*with_covariance=*/true);
  trajectory.timestamps_ns = {10, 20, 30};
  spoil(trajectory);
  for (const auto format : {TrajectoryFormat::kTum, TrajectoryFormat::kKitti, TrajectoryFormat::kNpz}) {
    EXPECT_THAT(ErrorFrom([&] { WriteTrajectory(trajectory, folder.path() / "x", format); }),
                StartsWith((folder.path() / "x").string() + ": " + why));
  }
  EXPECT_THAT(ErrorFrom([&] {
                WriteColmap(trajectory, folder.path() / "colmap", {.camera = {.width = 4, .height = 3}});
              }),
              StartsWith("COLMAP export: " + why));
  EXPECT_EQ(folder.FileCount(), 0);
}

TEST(WriteTrajectory, WhatNoReaderWouldAcceptIsRefused) {
  ExpectRefused("the time of pose 2, 15 ns, is not after the previous one's 20 ns",
                [](Trajectory& trajectory) { trajectory.timestamps_ns[2] = 15; });
  ExpectRefused("the time of pose 1, 10 ns, is not after the previous one's 10 ns",
                [](Trajectory& trajectory) { trajectory.timestamps_ns[1] = 10; });
  ExpectRefused("the time of pose 1, 9223372036854775807 ns, is more than 292 years after the first, -1 ns",
                [](Trajectory& trajectory) {
                  trajectory.timestamps_ns = {-1, std::numeric_limits<int64_t>::max(),
                                              std::numeric_limits<int64_t>::max()};
                });
  ExpectRefused("the position of pose 1 is not finite: x 1 y nan z 3", [](Trajectory& trajectory) {
    trajectory.world_from_camera[1].translation = {1, kNan, 3};
  });
  ExpectRefused(
      "the quaternion of pose 0, x 0 y 0 z 0 w 2, has norm 2; expected 1 within 1e-6, so normalise it",
      [](Trajectory& trajectory) {
        trajectory.world_from_camera[0].rotation = {2, 0, 0, 0};
      });
  ExpectRefused("the quaternion of pose 1, x 0 y 0 z 0 w 1.005, has norm 1.005", [](Trajectory& trajectory) {
    trajectory.world_from_camera[1].rotation = {1.005, 0, 0, 0};
  });
  ExpectRefused("the quaternion of pose 0, x 0 y 0 z 0 w nan, has norm nan", [](Trajectory& trajectory) {
    trajectory.world_from_camera[0].rotation = {kNan, 0, 0, 0};
  });
  ExpectRefused("the time of pose 0, 10 ns, is not a whole number of frames; without a clock",
                [](Trajectory& trajectory) { trajectory.has_time = false; });
  ExpectRefused("the position of pose 1, x 1 y -1e+30 z 3, is beyond ±1e+12 m", [](Trajectory& trajectory) {
    trajectory.world_from_camera[1].translation = {1, -1e30, 3};
  });
  ExpectRefused("the covariance of pose 2 is not finite",
                [](Trajectory& trajectory) { trajectory.covariances[2](4, 1) = HUGE_VAL; });
  ExpectRefused("3 poses, 2 timestamps and 3 covariances do not go together",
                [](Trajectory& trajectory) { trajectory.timestamps_ns.pop_back(); });
  ExpectRefused("3 poses, 3 timestamps and 2 covariances do not go together",
                [](Trajectory& trajectory) { trajectory.covariances.pop_back(); });
}

TEST(WriteTrajectory, SameInputSameBytes) {
  const Trajectory trajectory = RandomTrajectory(20, /*with_covariance=*/true);
  for (const char* name : {"tum", "kitti", "euroc", "csv", "npz"}) {
    const TrajectoryFormat format = TrajectoryFormatFromName(name);
    EXPECT_EQ(TrajectoryFormatName(format), name);
    EXPECT_EQ(WrittenText(trajectory, format), WrittenText(trajectory, format)) << name;
  }
}

TEST(TrajectoryFormatFromName, ListsTheNames) {
  EXPECT_THAT(ErrorFrom([] { TrajectoryFormatFromName("xml"); }),
              HasSubstr("'xml'; expected tum, kitti, euroc"));
}

}  // namespace
}  // namespace calfvo
