// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_outputs.h"

#include <gtest/gtest.h>

#include "core/base/testing.h"

namespace calfvo {
namespace {

void AddFrames(RunOutputs& outputs, int count) {
  TrackedPose pose;
  for (int i = 0; i < count; ++i) {
    pose.frame = i;
    pose.world_from_camera.translation = {0.1 * i, 0.0, 0.25 * i};
    pose.covariance.diagonal().setConstant(0.01 * i);
    pose.edge = {.sigma_rotation_rad = 0.001, .sigma_translation_m = 0.02, .windows = i == 0 ? 0 : 3};
    outputs.Add({.index = 2 * i,
                 .timestamp_ns = 40'000'000LL * i,
                 .width = 64,
                 .height = 48,
                 .damage = i == 2 ? "torn" : "",
                 .dropped_before = i == 2 ? 5 : 0},
                pose);
  }
}

TEST(RunOutputs, FilesAppearWholeAtTheEndAndReadBack) {
  const TempFolder folder;
  const std::filesystem::path out = folder.path() / "out";
  std::filesystem::create_directory(out);
  RunOutputs outputs(out, {});
  AddFrames(outputs, 4);
  EXPECT_FALSE(std::filesystem::exists(out / "trajectory.tum"));
  RunReport report;
  outputs.Finish("title", report);
  EXPECT_EQ(report.poses, 4);
  EXPECT_EQ(report.damaged, 1);
  EXPECT_EQ(report.damages[0].first, 4);
  EXPECT_NEAR(report.duration_s, 0.12, 1e-12);
  EXPECT_NEAR(*report.mean_sigma_translation_m, 0.02 * 4 / 3, 1e-12);
  for (const auto& [what, path] : report.outputs) EXPECT_TRUE(std::filesystem::exists(path)) << what;

  const Trajectory csv = ReadTrajectory(out / "poses.csv");
  ASSERT_EQ(csv.size(), 4U);
  EXPECT_EQ(csv.timestamps_ns[3], 120'000'000);
  EXPECT_EQ(csv.covariances[3](0, 0), 0.03);
  EXPECT_EQ(ReadTrajectory(out / "trajectory.tum").world_from_camera[3].translation.z(), 0.75);
  EXPECT_EQ(ReadTrajectory(out / "trajectory.kitti").size(), 4U);
  const std::string text = ReadWholeFile(out / "poses.csv");
  EXPECT_NE(text.find(",4,3,0.02,0.001,damaged|dropped_before:5\n"), std::string::npos) << text;
}

TEST(RunOutputs, LiveFilesGrow) {
  const TempFolder folder;
  RunOutputs outputs(folder.path(), {.live = true});
  AddFrames(outputs, 3);
  EXPECT_EQ(ReadTrajectory(folder.path() / "trajectory.tum").size(), 3U);
  EXPECT_EQ(ReadTrajectory(folder.path() / "poses.csv").size(), 3U);
}

TEST(RunOutputs, AbandonedRunsLeaveNoFiles) {
  const TempFolder folder;
  {
    RunOutputs outputs(folder.path(), {});
    AddFrames(outputs, 3);
  }
  EXPECT_EQ(folder.FileCount(), 0);
}

TEST(RunOutputs, WithoutConfidenceThereIsNoCovariance) {
  const TempFolder folder;
  RunOutputs outputs(folder.path(), {.has_confidence = false});
  AddFrames(outputs, 3);
  RunReport report;
  outputs.Finish("title", report);
  EXPECT_TRUE(ReadTrajectory(folder.path() / "poses.csv").covariances.empty());
  EXPECT_FALSE(report.mean_sigma_translation_m);
}

}  // namespace
}  // namespace calfvo
