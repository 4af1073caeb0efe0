// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/camera_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <vector>

namespace calfvo::motion {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

bool IsFinite(const Pose& pose) {
  const Mat3& r = pose.rotation;
  float sum = 0.0F;
  for (const Vec3 v : {r.x, r.y, r.z, pose.translation}) sum += v.x + v.y + v.z;
  return std::isfinite(sum);
}

MotionStart StartOf(MotionKind kind, float frame_rate_hz = 30.0F) {
  MotionStart start;
  start.kind = kind;
  start.frame_rate_hz = frame_rate_hz;
  return start;
}

class CameraMotionTest : public testing::TestWithParam<int> {
 protected:
  MotionKind kind() const { return static_cast<MotionKind>(GetParam()); }
};

TEST_P(CameraMotionTest, SameSeedSameMotion) {
  CameraMotion a(StartOf(kind()), portable::Random(5));
  CameraMotion b(StartOf(kind()), portable::Random(5));
  CameraMotion other(StartOf(kind()), portable::Random(6));
  double difference = 0.0;
  for (int i = 0; i < 200; ++i) {
    const Pose step_a = a.Step(EverywhereFree{});
    const Pose step_b = b.Step(EverywhereFree{});
    const Pose step_other = other.Step(EverywhereFree{});
    ASSERT_EQ(step_a.translation.x, step_b.translation.x);
    ASSERT_EQ(step_a.translation.z, step_b.translation.z);
    ASSERT_EQ(step_a.rotation.x.y, step_b.rotation.x.y);
    difference += std::abs(step_a.rotation.x.y - step_other.rotation.x.y);
  }
  EXPECT_GT(difference, 0.0);
}

TEST_P(CameraMotionTest, StepsAddUpToThePose) {
  CameraMotion camera(StartOf(kind()), portable::Random(8));
  Pose world_from_camera = camera.world_from_camera();
  for (int i = 0; i < 300; ++i) world_from_camera = world_from_camera * camera.Step(EverywhereFree{});
  const Pose difference = Inverse(camera.world_from_camera()) * world_from_camera;
  EXPECT_LT(Norm(LogRotation(difference.rotation)), 1e-3F);
  EXPECT_LT(Norm(difference.translation), 1e-3F * (1.0F + Norm(world_from_camera.translation)));
}

TEST_P(CameraMotionTest, StaysFiniteForAMillionSteps) {
  CameraMotion camera(StartOf(kind()), portable::Random(9));
  for (int i = 0; i < 1'000'000; ++i) {
    const Pose step = camera.Step(EverywhereFree{});
    ASSERT_TRUE(IsFinite(step)) << "step " << i;
  }
  ASSERT_TRUE(IsFinite(camera.world_from_camera()));
}

// Any direction may be up in the scene's world.
TEST_P(CameraMotionTest, KeepsUprightAndAtItsHeight) {
  const Vec3 up = Normalized(Vec3{0.2F, -1.0F, 0.1F});
  const MotionProfile profile = ProfileOf(kind());
  const double usual_tilt_deg = std::abs(profile.look_down_deg) + 2.0 * profile.look_down_spread_deg;
  int tilted = 0;
  double highest_m = 0.0;
  for (uint64_t clip = 0; clip < 50; ++clip) {
    MotionStart start = StartOf(kind());
    start.up = up;
    start.heading = {1.0F, 0.3F, -0.5F};
    start.position = up * 1.5F;
    CameraMotion camera(start, portable::Random(70 + clip));
    for (int i = 0; i < 1000; ++i) {
      camera.Step(EverywhereFree{});
      const Pose& pose = camera.world_from_camera();
      const double tilt_deg = kDegrees * std::acos(std::clamp(-Dot(pose.rotation.y, up), -1.0F, 1.0F));
      const double leaning_deg = profile.lean > 0.0F ? 25.0 : 0.0;
      if (tilt_deg > usual_tilt_deg + 1.5 * profile.tilt_range_deg + leaning_deg) ++tilted;
      EXPECT_LT(tilt_deg, 100.0);
      highest_m = std::max<double>(highest_m, std::abs(Dot(up, pose.translation) - 1.5F));
    }
  }
  EXPECT_LT(tilted, 500) << "of 50,000 frames";
  EXPECT_LT(highest_m, 1.5 * profile.height_range_m + 0.05);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CameraMotionTest, testing::Range(0, kMotionKindCount),
                         [](const auto& parameter) {
                           std::string name(kMotionKindNames[static_cast<size_t>(parameter.param)]);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CameraMotionTest, StartLooksAlongTheHeading) {
  MotionStart start = StartOf(MotionKind::kWalking);
  start.heading = {0.0F, 1.0F, 0.0F};
  start.position = {1.0F, 2.0F, 3.0F};
  const CameraMotion camera(start, portable::Random(3));
  EXPECT_GT(camera.world_from_camera().rotation.z.y, 0.9F);   // ahead
  EXPECT_GT(camera.world_from_camera().rotation.x.x, 0.9F);   // right
  EXPECT_LT(camera.world_from_camera().rotation.y.z, -0.9F);  // down
  EXPECT_EQ(camera.world_from_camera().translation.z, 3.0F);
}

TEST(CameraMotionTest, StaticStaysWherePlaced) {
  CameraMotion camera(StartOf(MotionKind::kStatic), portable::Random(11));
  for (int i = 0; i < 10000; ++i) {
    camera.Step(EverywhereFree{});
    ASSERT_LT(Norm(camera.world_from_camera().translation), 0.01F);
  }
}

TEST(CameraMotionTest, PureRotationDoesNotTravel) {
  CameraMotion camera(StartOf(MotionKind::kPureRotation), portable::Random(12));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(Norm(camera.Step(EverywhereFree{}).translation), 0.0F);
}

// The head of a walker rises and falls by some centimetres about twice a second.
TEST(CameraMotionTest, WalkingBobs) {
  CameraMotion camera(StartOf(MotionKind::kWalking, 60.0F), portable::Random(14));
  std::vector<float> height_m;
  for (int i = 0; i < 60 * 60; ++i) {
    camera.Step(EverywhereFree{});
    height_m.push_back(camera.world_from_camera().translation.z);
  }
  int peaks = 0;
  for (size_t i = 3; i + 3 < height_m.size(); ++i) {
    if (height_m[i] > height_m[i - 1] && height_m[i] >= height_m[i + 1] && height_m[i] > height_m[i - 3] &&
        height_m[i] >= height_m[i + 3]) {
      ++peaks;
    }
  }
  EXPECT_GT(peaks, 60 * 1.4);
  EXPECT_LT(peaks, 60 * 2.4);
}

TEST(CameraMotionTest, VehiclesTurnAndStop) {
  int turning = 0;
  int standing = 0;
  for (uint64_t clip = 0; clip < 200; ++clip) {
    CameraMotion camera(StartOf(MotionKind::kVehicle, 10.0F), portable::Random(clip));
    for (int i = 0; i < 300; ++i) {
      const Pose step = camera.Step(EverywhereFree{});
      if (Norm(LogRotation(step.rotation)) * kDegrees > 2.5) ++turning;
      if (Norm(step.translation) < 0.01F) ++standing;
      ASSERT_LT(std::abs(step.translation.x), 0.15F);
    }
  }
  EXPECT_GT(turning, 60'000 / 50);
  EXPECT_GT(standing, 60'000 / 1000);
  EXPECT_LT(standing, 60'000 / 20);
}

TEST(MotionKindTest, NamesRoundTrip) {
  for (int i = 0; i < kMotionKindCount; ++i) {
    const auto kind = static_cast<MotionKind>(i);
    EXPECT_EQ(MotionKindFromName(MotionKindName(kind)), kind);
  }
  EXPECT_FALSE(MotionKindFromName("teleporting").has_value());
}

TEST(CameraMotion, LooksFurtherDownWhenAsked) {
  const auto mean_down = [](float look_down_rad) {
    CameraMotion camera({.kind = MotionKind::kDrone, .look_down_rad = look_down_rad}, portable::Random(5));
    double sum = 0.0;
    for (int i = 0; i < 600; ++i) {
      camera.Step(EverywhereFree());
      sum += std::asin(static_cast<double>(-camera.world_from_camera().rotation.z.z));
    }
    return sum / 600;
  };
  EXPECT_NEAR(mean_down(0.6F) - mean_down(0.0F), 0.6, 0.2);
}

}  // namespace
}  // namespace calfvo::motion
