// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/camera_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "synth/clip/clip_options.h"
#include "synth/clip/window_path.h"
#include "synth/motion/real_paths.h"
#include "synth/scene/free_space.h"
#include "synth/scene/scene_kind.h"

namespace calfvo {
namespace {

using motion::MotionKind;
using portable::Pose;
using portable::Vec3;

void ExpectFree(const synth::Scene& scene, const CameraPath& path, FrameRate rate, const std::string& what) {
  for (size_t i = 0; i < path.size(); ++i) {
    const auto time_s = static_cast<float>(static_cast<double>(i) / rate.Hertz());
    ASSERT_TRUE(synth::IsFree(scene, path[i].translation, 0.05F, time_s)) << what << ", frame " << i;
  }
}

class PathsThrough : public testing::TestWithParam<int> {};

TEST_P(PathsThrough, StayFreeWithEveryUsualMotion) {
  const auto kind = static_cast<SceneKind>(GetParam());
  const MotionWeights usual = UsualMotions(kind);
  for (int m = 0; m < motion::kMotionKindCount; ++m) {
    if (usual[m] <= 0.0F) continue;
    for (const uint64_t seed : {1, 2, 3}) {
      const auto scene = MakeScene(kind, seed);
      const PathOptions options{static_cast<MotionKind>(m), {20, 1}, 200};
      const auto path = GeneratePath(*scene, options, portable::Random(seed));
      const std::string what = std::string(SceneKindName(kind)) + " " +
                               std::string(motion::kMotionKindNames[m]) + " " + std::to_string(seed);
      ASSERT_TRUE(path.has_value()) << what;
      ASSERT_EQ(path->size(), 200U);
      ExpectFree(*scene, *path, options.rate, what);
      if (options.kind != MotionKind::kStatic && options.kind != MotionKind::kPureRotation) {
        EXPECT_GT(PathLength(*path), 0.2) << what;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PathsThrough, testing::Range(0, kSceneKindCount));

TEST(GeneratePath, FollowsFromTheSeed) {
  const auto scene = MakeScene(SceneKind::kRoom, 5);
  const PathOptions options{MotionKind::kHandheld, {30, 1}, 50};
  const auto a = GeneratePath(*scene, options, portable::Random(1));
  const auto b = GeneratePath(*scene, options, portable::Random(1));
  const auto c = GeneratePath(*scene, options, portable::Random(2));
  EXPECT_EQ(a->back().translation.x, b->back().translation.x);
  EXPECT_NE(a->back().translation.x, c->back().translation.x);
}

// Straight ahead by `step_m` a frame, tilted down by `down_rad`.
motion::RealPaths Recorded(double step_m, double down_rad) {
  Trajectory trajectory;
  const Quaternion tilt(Eigen::AngleAxisd(-down_rad, Eigen::Vector3d::UnitX()));
  for (int i = 0; i < 100; ++i) {
    trajectory.timestamps_ns.push_back(int64_t{100'000'000} * i);
    trajectory.world_from_camera.push_back({tilt, Eigen::Vector3d(0.0, 0.0, step_m * i)});
  }
  motion::RealPaths paths;
  paths.Add("test", trajectory, {.down_in_world = Eigen::Vector3d::UnitY()});
  return paths;
}

TEST(PlaceRecordedPath, KeepsTheMotionAndStandsUpright) {
  const auto scene = MakeScene(SceneKind::kHall, 5);
  const motion::RealPaths recorded = Recorded(0.05, 0.3);
  const PathOptions options{MotionKind::kWalking, {30, 1}, 30};
  const motion::RealSegmentOptions as_it_is{1.0F, 1.0F, 0.0F, 0.0F};
  const auto path = PlaceRecordedPath(*scene, options, recorded.View(), as_it_is, portable::Random(3));
  ASSERT_TRUE(path.has_value());
  ExpectFree(*scene, *path, options.rate, "recorded");
  EXPECT_NEAR(PathLength(*path), 29 * 0.05, 1e-3);
  for (const Pose& pose : *path) {
    EXPECT_NEAR(pose.rotation.z.z, -std::sin(0.3F), 1e-3);  // looks down as recorded
    EXPECT_NEAR(pose.rotation.x.z, 0.0F, 1e-3);             // and does not roll
  }
  // Level travel stays level.
  EXPECT_NEAR(path->front().translation.z, path->back().translation.z, 1e-3);
}

TEST(PlaceRecordedPath, GivesUpWhereNothingFits) {
  const auto scene = MakeScene(SceneKind::kRoom, 5);
  const motion::RealPaths recorded = Recorded(1.0, 0.0);
  const PathOptions options{MotionKind::kWalking, {30, 1}, 50};
  const motion::RealSegmentOptions as_it_is{1.0F, 1.0F, 0.0F, 0.0F};
  EXPECT_FALSE(
      PlaceRecordedPath(*scene, options, recorded.View(), as_it_is, portable::Random(3)).has_value());
}

TEST(CameraPath, CarsOftenRecordAt10HertzAndHandsAt30) {
  const auto share_at = [](motion::MotionKind kind, float rate_hz) {
    portable::Random random(5);
    int count = 0;
    for (int i = 0; i < 1000; ++i) {
      const float drawn = DrawRate(kind, 6.0F, 60.0F, random);
      EXPECT_GE(drawn, 6.0F);
      EXPECT_LE(drawn, kind == motion::MotionKind::kVehicle ? 30.001F : 60.001F);
      EXPECT_EQ(DrawRate(kind, 12.0F, 12.0F, random), 12.0F);
      count += drawn == rate_hz ? 1 : 0;
    }
    return count / 1000.0;
  };
  EXPECT_NEAR(share_at(motion::MotionKind::kVehicle, 10.0F), 1.0 / 3.0, 0.06);
  EXPECT_NEAR(share_at(motion::MotionKind::kHandheld, 30.0F), 1.0 / 3.0, 0.06);
  EXPECT_LT(share_at(motion::MotionKind::kDrone, 30.0F), 0.01);
  portable::Random random(6);
  for (int i = 0; i < 100; ++i) {
    EXPECT_GE(DrawRate(motion::MotionKind::kVehicle, 40.0F, 60.0F, random), 40.0F);
    EXPECT_LE(DrawRate(motion::MotionKind::kHandheld, 6.0F, 20.0F, random), 20.001F);
  }
}

struct Drive {
  std::unique_ptr<synth::Scene> street;
  CameraPath path;  // empty if none was found
};

// At 10 frames/s.
Drive DriveThrough(uint64_t seed, int frames) {
  Drive drive{MakeScene(SceneKind::kStreet, seed), {}};
  const PathOptions options{motion::MotionKind::kVehicle, {10, 1}, frames};
  drive.path = GeneratePath(*drive.street, options, portable::Random(seed)).value_or(CameraPath{});
  return drive;
}

TEST(CameraPath, CarsKeepToTheRoad) {
  int off_road = 0;
  int frames = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Drive drive = DriveThrough(seed, 9);
    for (const portable::Pose& pose : drive.path) {
      ++frames;
      off_road += std::fabs(pose.translation.y) > drive.street->passage_half ? 1 : 0;
    }
  }
  EXPECT_GT(frames, 150);
  EXPECT_LT(off_road, frames / 20);
}

// What comes into the way of a car on a drive of 15 s may be too near to brake for, but not often. Cars that
// looked less closely and stood at once did so in 11 of these drives.
TEST(CameraPath, CarsBrakeAsCarsCan) {
  int drives = 0;
  int emergencies = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const CameraPath path = DriveThrough(seed, 150).path;
    drives += path.empty() ? 0 : 1;
    const auto step_m = [&](size_t k) {
      return portable::Norm(path[k].translation - path[k - 1].translation);
    };
    bool emergency = false;
    for (size_t i = 2; i < path.size(); ++i) {
      emergency = emergency || (step_m(i - 1) - step_m(i)) * 100.0F > 12.0F;
    }
    emergencies += emergency ? 1 : 0;
  }
  EXPECT_GE(drives, 38);
  EXPECT_LE(emergencies, 6);
}

}  // namespace
}  // namespace calfvo
