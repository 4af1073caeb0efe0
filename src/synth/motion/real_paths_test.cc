// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/real_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "synth/motion/motion_statistics.h"

namespace calfvo::motion {
namespace {

RealSegmentOptions AsRecorded() {
  RealSegmentOptions options;
  options.min_rate = options.max_rate = 1.0F;
  options.flip_probability = options.reverse_probability = 0.0F;
  return options;
}

// A camera on a wavy path with a changing turn. World z up, camera level: right, down, ahead.
Trajectory WavyPath(int size) {
  Trajectory path;
  for (int i = 0; i < size; ++i) {
    const double t = 0.05 * i;
    const double yaw = 0.4 * std::sin(0.7 * t) + 0.1 * t;
    Eigen::Matrix3d world_from_level;
    world_from_level.col(2) = Eigen::Vector3d(std::cos(yaw), std::sin(yaw), 0.0);
    world_from_level.col(1) = -Eigen::Vector3d::UnitZ();
    world_from_level.col(0) = world_from_level.col(1).cross(world_from_level.col(2));
    path.timestamps_ns.push_back(i * 50'000'000LL);
    path.world_from_camera.push_back(
        {Quaternion(world_from_level) * ExpSO3({0.1 * std::sin(2.0 * t), 0.0, 0.05 * std::cos(t)}),
         Eigen::Vector3d(t + std::sin(t), 0.5 * std::sin(1.3 * t), 0.2 * std::cos(t))});
  }
  return path;
}

RecordedFrame LevelWorld() {
  RecordedFrame frame;
  frame.down_in_world = -Eigen::Vector3d::UnitZ();
  return frame;
}

RealPaths OnePath(int size = 400) {
  RealPaths paths;
  paths.Add("camera", WavyPath(size), LevelWorld());
  return paths;
}

std::vector<MotionClip> Sampled(const RealPathsView& view, const RealSegmentOptions& options, int clips,
                                int frames) {
  std::vector<MotionClip> result;
  std::vector<Pose> poses(static_cast<size_t>(frames));
  portable::Random random(17);
  for (int i = 0; i < clips; ++i) {
    SampleRealSegment(view, options, random, frames, poses.data());
    MotionClip& clip = result.emplace_back();
    for (size_t k = 1; k < poses.size(); ++k) clip.push_back(Inverse(poses[k - 1]) * poses[k]);
  }
  return result;
}

void ExpectSameQuantiles(const MotionStatistics& a, const MotionStatistics& b, double scale,
                         double tolerance) {
  for (size_t i = 1; i < 5; ++i) {
    EXPECT_NEAR(a.translation_m[i] / (scale * b.translation_m[i]), 1.0, tolerance);
    EXPECT_NEAR(a.rotation_deg[i] / (scale * b.rotation_deg[i]), 1.0, tolerance);
  }
}

TEST(RealPathsTest, SegmentsAtRateOneHaveTheStatisticsOfTheSource) {
  const RealPaths paths = OnePath();
  const MotionStatistics source = MeasureMotion(RecordedClips(paths.View()));
  const MotionStatistics sampled = MeasureMotion(Sampled(paths.View(), AsRecorded(), 2000, 16));
  ExpectSameQuantiles(sampled, source, 1.0, 0.12);
}

TEST(RealPathsTest, RateScalesTheMotion) {
  const RealPaths paths = OnePath();
  const MotionStatistics source = MeasureMotion(RecordedClips(paths.View()));
  for (const float rate : {0.5F, 2.0F}) {
    RealSegmentOptions options = AsRecorded();
    options.min_rate = options.max_rate = rate;
    ExpectSameQuantiles(MeasureMotion(Sampled(paths.View(), options, 2000, 16)), source, rate, 0.12);
  }
}

TEST(RealPathsTest, SegmentsAreFramesOfThePath) {
  const Trajectory path = WavyPath(64);
  RealPaths paths;
  paths.Add("camera", path, LevelWorld());
  portable::Random random(2);
  std::vector<Pose> poses(64);  // the whole path: only one way to fit
  const RealSegment segment = SampleRealSegment(paths.View(), AsRecorded(), random, 64, poses.data());
  for (size_t i = 0; i < poses.size(); ++i) {
    const Rigid3 expected = path.world_from_camera[0].Inverse() * path.world_from_camera[i];
    EXPECT_NEAR(poses[i].translation.x, expected.translation.x(), 1e-4);
    EXPECT_NEAR(poses[i].translation.z, expected.translation.z(), 1e-4);
    EXPECT_NEAR(poses[i].rotation.z.x, expected.rotation.toRotationMatrix()(0, 2), 1e-4);
  }
  EXPECT_GT(segment.down_in_camera.y, 0.9F);
}

TEST(RealPathsTest, ReversedPlaysBackwards) {
  RealPaths paths = OnePath(64);
  RealSegmentOptions reversed = AsRecorded();
  reversed.reverse_probability = 1.0F;
  std::vector<Pose> forwards(64), backwards(64);
  portable::Random random(2);
  const RealSegment there = SampleRealSegment(paths.View(), AsRecorded(), random, 64, forwards.data());
  const RealSegment back = SampleRealSegment(paths.View(), reversed, random, 64, backwards.data());
  EXPECT_EQ(Norm(backwards[0].translation), 0.0F);
  for (size_t i = 0; i < 64; ++i) {
    const Pose expected = Inverse(forwards[63]) * forwards[63 - i];
    EXPECT_LT(Norm(backwards[i].translation - expected.translation), 1e-4F);
  }
  const Vec3 expected_down = Transposed(forwards[63].rotation) * there.down_in_camera;
  EXPECT_LT(Norm(back.down_in_camera - expected_down), 1e-4F);
}

TEST(RealPathsTest, FlippedSwapsLeftAndRight) {
  RealPaths paths = OnePath(64);
  RealSegmentOptions flipped = AsRecorded();
  flipped.flip_probability = 1.0F;
  std::vector<Pose> straight(64), swapped(64);
  portable::Random random(2);
  SampleRealSegment(paths.View(), AsRecorded(), random, 64, straight.data());
  SampleRealSegment(paths.View(), flipped, random, 64, swapped.data());
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(swapped[i].translation.x, -straight[i].translation.x, 1e-5F);
    EXPECT_NEAR(swapped[i].translation.z, straight[i].translation.z, 1e-5F);
    const Vec3 turn = LogRotation(straight[i].rotation);
    const Vec3 other = LogRotation(swapped[i].rotation);
    EXPECT_LT(Norm(other - Vec3{turn.x, -turn.y, -turn.z}), 1e-4F);
  }
}

TEST(RealPathsTest, LongSegmentsOfShortPathsPlaySlower) {
  RealPaths paths = OnePath(40);
  std::vector<Pose> poses(200);
  portable::Random random(2);
  const RealSegment segment = SampleRealSegment(paths.View(), AsRecorded(), random, 200, poses.data());
  EXPECT_NEAR(segment.rate, 39.0F / 199.0F, 1e-5F);
  EXPECT_TRUE(std::isfinite(poses.back().translation.x));
}

TEST(RealPathsTest, CutsWhereTheClockJumps) {
  Trajectory path = WavyPath(200);
  for (size_t i = 100; i < 200; ++i) path.timestamps_ns[i] += 10'000'000'000;
  RealPaths paths;
  paths.Add("camera", path);
  EXPECT_EQ(RecordedClips(paths.View()).size(), 2U);
}

// Three times such an interval does not fit int64, which UBSan would report.
TEST(RealPathsTest, CenturiesBetweenPosesDoNotOverflow) {
  Trajectory path = WavyPath(3);
  path.timestamps_ns = {-4'600'000'000'000'000'000, 0, 4'600'000'000'000'000'000};
  RealPaths paths;
  paths.Add("camera", path);
  EXPECT_EQ(paths.View().count, 0);
}

TEST(RealPathsTest, RejectsImplausibleJumps) {
  for (const double far : {1.1e4, 1e30, 1.7e308}) {
    Trajectory path = WavyPath(64);
    path.world_from_camera[40].translation = {far, 0.0, 0.0};
    path.world_from_camera[41].translation = {-far, 0.0, 0.0};
    RealPaths paths;
    EXPECT_NE(ErrorFrom([&] { paths.Add("camera", path); }).find("pose 40 is "), std::string::npos) << far;
  }
  const TempFolder folder;
  std::ofstream file(folder.path() / "a.txt");
  for (int i = 0; i < 40; ++i) file << i << " " << 2e4 * i << " 0 0 0 0 0 1\n";
  file.close();
  EXPECT_EQ(
      ErrorFrom([&] { RealPaths::Load(folder.path()); }),
      (folder.path() / "a.txt").string() +
          ": pose 1 is 2e+04 m from the one before; expected metres, and at most 10000 from pose to pose");
}

// The same path as the published sets would write it gives the same motion in camera axes.
TEST(RealPathsTest, KnowsTheAxesOfPublishedSets) {
  const Trajectory camera = WavyPath(100);
  const RealPaths expected = OnePath(100);
  Trajectory imu = camera;
  Trajectory inverted = camera;
  Trajectory ned = camera;
  Eigen::Matrix3d north_from_level_world;  // turns z up into z down
  north_from_level_world << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  for (size_t i = 0; i < camera.size(); ++i) {
    const Quaternion& world_from_camera = camera.world_from_camera[i].rotation;
    Eigen::Matrix3d camera_from_imu;  // x up, y right, z ahead
    camera_from_imu << 0, 1, 0, -1, 0, 0, 0, 0, 1;
    Eigen::Matrix3d camera_from_ned;  // x ahead, y right, z down
    camera_from_ned << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    imu.world_from_camera[i].rotation = world_from_camera * Quaternion(camera_from_imu);
    inverted.world_from_camera[i].rotation = world_from_camera.conjugate();
    ned.world_from_camera[i].rotation =
        Quaternion(north_from_level_world) * world_from_camera * Quaternion(camera_from_ned);
    ned.world_from_camera[i].translation = north_from_level_world * camera.world_from_camera[i].translation;
  }
  const std::pair<const char*, const Trajectory*> kSets[] = {
      {"euroc", &imu}, {"euroc", &inverted}, {"tartanair", &ned}};
  for (const auto& [set, trajectory] : kSets) {
    RealPaths paths;
    paths.Add(set, *trajectory);
    ASSERT_EQ(paths.records().size(), expected.records().size());
    for (size_t i = 0; i < paths.records().size(); ++i) {
      ASSERT_NEAR(paths.records()[i], expected.records()[i], 1e-5F) << set << " " << i;
    }
  }
}

TEST(RealPathsTest, LoadsFoldersOfSetsWithAndWithoutTimes) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "kitti");
  std::filesystem::create_directory(folder.path() / "tartanair");
  WriteTrajectory(WavyPath(50), folder.path() / "kitti" / "00.txt", TrajectoryFormat::kKitti);
  std::ofstream untimed(folder.path() / "tartanair" / "P000.txt");
  for (int i = 0; i < 40; ++i) untimed << 0.1 * i << " 0 0 0 0 0 1\n";
  untimed.close();
  const RealPaths paths = RealPaths::Load(folder.path());
  ASSERT_EQ(paths.sets().size(), 2U);
  EXPECT_EQ(paths.View("kitti").count, 50);
  EXPECT_EQ(paths.View("tartanair").count, 40);
  EXPECT_EQ(paths.View().count, 90);
  const MotionClip ahead = RecordedClips(paths.View("tartanair")).front();
  EXPECT_NEAR(ahead.front().translation.z, 0.1F, 1e-6F);
  EXPECT_NE(ErrorFrom([&] { paths.View("euroc"); }).find("kitti, tartanair"), std::string::npos);
  EXPECT_NE(ErrorFrom([&] { RealPaths::Load(folder.path() / "none"); }).find("none"), std::string::npos);
}

TEST(RealPathsTest, ReportsBrokenLinks) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "set");
  const auto link = folder.path() / "set" / "a.txt";
  std::filesystem::create_symlink("a.txt", link);
  EXPECT_EQ(ErrorFrom([&] { RealPaths::Load(folder.path()); }),
            link.string() + ": cannot be read: Too many levels of symbolic links");
  EXPECT_EQ(ErrorFrom([&] { RealPaths::Load(link); }),
            link.string() + ": no such folder of trajectories: Too many levels of symbolic links");
}

// On real recordings, where there are any.
TEST(RealPathsTest, RecordingsKeepTheirStatistics) {
  const std::filesystem::path folder = CALFVO_TRAJECTORIES;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings in " << folder;
  const RealPaths paths = RealPaths::Load(folder);
  for (const RealPaths::Set& set : paths.sets()) {
    const RealPathsView view = paths.View(set.name);
    const MotionStatistics source = MeasureMotion(RecordedClips(view));
    const MotionStatistics sampled = MeasureMotion(Sampled(view, AsRecorded(), 2000, 32));
    std::printf("%-10s %s\n%-10s %s\n", set.name.c_str(), FormatStatistics(source).c_str(), "  sampled",
                FormatStatistics(sampled).c_str());
    ExpectSameQuantiles(sampled, source, 1.0, 0.15);
  }
}

}  // namespace
}  // namespace calfvo::motion
