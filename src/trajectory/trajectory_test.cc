// SPDX-License-Identifier: Apache-2.0
#include "calfvo/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(ReadTrajectory, TellsFormatsApart) {
  EXPECT_TRUE(ReadText("0 0 0 0 0 0 0 1\n").has_time);
  EXPECT_FALSE(ReadText("1 0 0 0 0 1 0 0 0 0 1 0\n").has_time);
  EXPECT_EQ(ReadText("7,0,0,0,1,0,0,0\n").timestamps_ns[0], 7);
  EXPECT_EQ(ReadText("timestamp_ns,tx,ty,tz,qx,qy,qz,qw\n7,0,0,0,0,0,0,1\n").timestamps_ns[0], 7);
}

TEST(ReadTrajectory, SaysWhatItLookedFor) {
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
}

TEST(ReadTrajectory, BinaryFilesAreRefused) {
  std::string bytes(1 << 20, '\0');
  EXPECT_THAT(ReadError(bytes), HasSubstr("is this a text file?"));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  EXPECT_THAT(ReadError(bytes), HasSubstr("file:"));
}

TEST(WriteTrajectory, InconsistentLengthsAreRefused) {
  Trajectory trajectory = RandomTrajectory(3);
  trajectory.timestamps_ns.pop_back();
  EXPECT_THAT(ErrorFrom([&] { WrittenText(trajectory, TrajectoryFormat::kTum); }),
              HasSubstr("3 poses, 2 timestamps and 0 covariances do not go together"));
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
